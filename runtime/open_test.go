package runtime_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/checkhook"
	"github.com/kgen-go/kgen/internal/tests/devtest"
	"github.com/kgen-go/kgen/runtime"
	"github.com/kgen-go/kgen/runtime/internal/hal"
	"github.com/kgen-go/kgen/runtime/internal/host"
	"github.com/kgen-go/kgen/runtime/internal/vulkan"
)

// machine is a backend with devices that a test made up. Those that open are the host
// device under another name.
type machine struct {
	devices []hal.Info
	broken  map[string]bool // by name
	none    error           // why there are no devices
}

func (*machine) Name() string { return "vulkan" }

func (m *machine) Enumerate() ([]hal.Info, error) { return m.devices, m.none }

func (m *machine) Open(i int) (hal.Device, error) {
	if m.broken[m.devices[i].Name] {
		return nil, errors.New("it is broken")
	}
	dev, err := host.New().Open(0)
	return &named{dev, m.devices[i]}, err
}

type named struct {
	hal.Device
	info hal.Info
}

func (n *named) Info() *hal.Info { return &n.info }

type brokenHost struct{ hal.Driver }

func (brokenHost) Open(int) (hal.Device, error) { return nil, errors.New("it is broken") }

// TestDefault: without a choice Open takes a GPU, then the host, and never a driver on
// the processor, which its name, its index and "vulkan" choose.
func TestDefault(t *testing.T) {
	dev := func(name string, kind hal.DeviceType) hal.Info { return hal.Info{Name: name, Type: kind} }
	pipe, soft := dev("pipe", hal.VulkanCPU), dev("soft", hal.VulkanCPU)
	gpu, small := dev("gpu", hal.DiscreteGPU), dev("small", hal.IntegratedGPU)
	const hint = "opened only when it is chosen: set KGEN_DEVICE="
	for _, c := range []struct {
		name    string
		devices []hal.Info
		broken  string
		choice  string
		want    string // the device's name, or what the error says
		missing []string
		list    string
	}{
		{"nothing", nil, "", "", "host", nil, "host"},
		{"a driver on the processor", []hal.Info{pipe}, "", "", "host", []string{"pipe (Vulkan on the CPU) is " + hint + `vulkan, or use runtime.Select("vulkan")`}, "host pipe"},
		{"two of them", []hal.Info{pipe, soft}, "", "", "host", []string{"pipe (Vulkan on the CPU) is " + hint + "vulkan,", "soft (Vulkan on the CPU) is " + hint + "2,"}, "host pipe soft"},
		{"it by name", []hal.Info{pipe, soft}, "", "SOFT", "soft", nil, "host pipe soft"},
		{"it by index", []hal.Info{pipe, soft}, "", "2", "soft", nil, "host pipe soft"},
		{"it by backend", []hal.Info{pipe, soft}, "", "vulkan", "pipe", nil, "host pipe soft"},
		{"all, worst first", []hal.Info{soft, small, gpu}, "", "", "gpu", []string{"soft (Vulkan on the CPU) is " + hint + "3,"}, "gpu small host soft"},
		{"vulkan is the best one", []hal.Info{pipe, gpu}, "", "vulkan", "gpu", nil, "gpu host pipe"},
		{"a broken GPU", []hal.Info{gpu, small, pipe}, "gpu", "", "small", []string{"gpu: it is broken", "pipe (Vulkan"}, "gpu small host pipe"},
		{"only a broken GPU", []hal.Info{gpu, pipe}, "gpu", "", "host", []string{"gpu: it is broken", "pipe (Vulkan on the CPU) is " + hint + "2,"}, "gpu host pipe"},
		{"vulkan beside a broken GPU", []hal.Info{gpu, pipe}, "gpu", "vulkan", "pipe", []string{"gpu: it is broken"}, "gpu host pipe"},
		{"a broken GPU by name", []hal.Info{gpu, pipe}, "gpu", "0", "gpu: it is broken", nil, "gpu host pipe"},
		{"a broken host", []hal.Info{pipe}, "host", "", "it is broken; pipe (Vulkan on the CPU) is " + hint + "vulkan,", nil, "host pipe"},
		{"vulkan without any", nil, "", "vulkan", `KGEN_DEVICE="vulkan" names no device; those that there are, with their indices: [0] host (`, nil, "host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("KGEN_DEVICE", c.choice)
			m := &machine{devices: c.devices, broken: map[string]bool{c.broken: true}}
			if len(c.devices) == 0 {
				m.none = errors.New("the loader is not there")
				c.missing = append(c.missing, m.none.Error())
			}
			var hosts hal.Driver = host.New()
			if c.broken == "host" {
				hosts = brokenHost{hosts}
			}
			runtime.SetBackends(t, m, hosts)
			var list []string
			for _, d := range runtime.Devices() {
				list = append(list, strings.Fields(d.Name)[0])
			}
			if got := strings.Join(list, " "); got != c.list {
				t.Errorf("Devices lists %s, want %s", got, c.list)
			}
			dev, err := runtime.Open()
			if err != nil {
				if !errors.Is(err, runtime.ErrNoDevice) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want %s", err, c.want)
				}
				return
			}
			defer dev.Close()
			if got := strings.Fields(dev.Name())[0]; got != c.want {
				t.Errorf("got %s, want %s", dev, c.want)
			}
			missing := dev.Info().Missing
			if len(missing) != len(c.missing) {
				t.Fatalf("Missing is %q, want %q", missing, c.missing)
			}
			for i, want := range c.missing {
				if !strings.Contains(missing[i], want) {
					t.Errorf("Missing is %q, want %q", missing, c.missing)
				}
			}
		})
	}
}

// TestCheckedNeedsImport: without package checked, the error of Open names the line to add, and no
// device that has no checked mode.
func TestCheckedNeedsImport(t *testing.T) {
	load := checkhook.Load
	checkhook.Load = nil
	defer func() { checkhook.Load = load }()
	runtime.SetBackends(t, &machine{devices: []hal.Info{{Name: "pipe", Type: hal.VulkanCPU}}}, host.New())
	t.Setenv("KGEN_DEVICE", "")
	t.Setenv("KGEN_CHECKED", "1")
	dev, err := runtime.Open()
	if err == nil {
		dev.Close()
		t.Fatal("it opens")
	}
	if text := err.Error(); !strings.Contains(text, `import _ "github.com/kgen-go/kgen/checked"`) || strings.Contains(text, "pipe") {
		t.Errorf("error %v", err)
	}
}

// asGPU is the Vulkan backend with its devices looking like GPUs.
type asGPU struct{ hal.Driver }

func (d asGPU) Enumerate() ([]hal.Info, error) {
	list, err := d.Driver.Enumerate()
	for i := range list {
		list[i].Type = hal.DiscreteGPU
	}
	return list, err
}

// vulkanIsGPU makes the Vulkan devices that there are look like GPUs, which Open takes.
func vulkanIsGPU(t *testing.T) {
	runtime.SetBackends(t, asGPU{vulkan.New()}, host.New())
}

// TestDefaultHere: of the drivers that this machine has, Open takes as it says.
func TestDefaultHere(t *testing.T) {
	devtest.Vulkan(t)
	t.Setenv("KGEN_DEVICE", "")
	want := "host"
	var driver string // on the processor
	for _, d := range runtime.Devices() {
		if d.Type < runtime.HostCPU {
			want = "vulkan"
		}
		if d.Type == runtime.VulkanCPU {
			driver = d.Name
		}
	}
	dev := must(runtime.Open())
	defer dev.Close()
	if got := dev.Info(); got.Backend != want || driver != "" && !strings.Contains(strings.Join(got.Missing, "\n"), driver) {
		t.Errorf("got %v, want %s; Missing is %q", dev, want, got.Missing)
	}
	vulkanIsGPU(t)
	dev = must(runtime.Open())
	defer dev.Close()
	if got := dev.Info().Backend; got != "vulkan" {
		t.Errorf("got %v, want a Vulkan device", dev)
	}
}
