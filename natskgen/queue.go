package natskgen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Settings contains the settings of a queue. The first call that names the queue makes it, with the call's options, and
// stores them with the types of jobs and results. Later calls use the stored settings; if an option differs from them,
// the error is ErrConfig.
type Settings struct {
	AckWait   time.Duration // a worker without a sign of life for this time counts as dead
	Tries     int           // number of deliveries of a job before it is a dead letter
	Retention time.Duration // how long results, slices and dead letters are kept
	Replicas  int           // number of servers of a cluster that have the data
	Memory    bool          // whether the data is in the server's memory only
	Job       string        // the type of jobs, as the encoding sees it
	Result    string        // the type of results
}

// The default settings of queues.
const (
	DefaultAckWait   = 30 * time.Second
	DefaultTries     = 5
	DefaultRetention = 24 * time.Hour
)

// MaxInline is the number of bytes up to which a slice travels within a message, 512 KiB. Longer slices are objects.
// The server must accept messages of 1 MiB, which is its default.
const MaxInline = 512 << 10

// An Option is an option of Open and Serve.
type Option func(*options)

type options struct {
	settings Settings
	stated   []string // fields of settings that options have set
	parallel int
	log      *slog.Logger
	err      error
}

func (o *options) fail(format string, args ...any) {
	if o.err == nil {
		o.err = errorf(ErrInvalid, format, args...)
	}
}

// AckWait sets how long the server waits for a sign of life from a worker that runs a job: 100 ms to an hour; the
// default is 30 seconds. Workers give one each third of that time, also while a kernel runs. If there is none, the job
// goes to another worker.
func AckWait(d time.Duration) Option {
	return func(o *options) {
		if d < 100*time.Millisecond || d > time.Hour {
			o.fail("AckWait(%v): it is from 100 ms to an hour", d)
		}
		o.settings.AckWait, o.stated = d, append(o.stated, "AckWait")
	}
}

// Tries sets how often a job is delivered to workers, from 1 to 1000; the default is 5. If the last try ends with an
// error, or its worker dies, the job becomes a dead letter.
func Tries(n int) Option {
	return func(o *options) {
		if n < 1 || n > 1000 {
			o.fail("Tries(%d): it is from 1 to 1000", n)
		}
		o.settings.Tries, o.stated = n, append(o.stated, "Tries")
	}
}

// Retention sets how long the server keeps results and dead letters from the end of a job, and long slices of a job
// from its submission: at least a second; the default is 24 hours. The slices of a job that has a result are removed at
// once. After that time another job may have the same id.
func Retention(d time.Duration) Option {
	return func(o *options) {
		if d < time.Second {
			o.fail("Retention(%v): it is at least a second", d)
		}
		o.settings.Retention, o.stated = d, append(o.stated, "Retention")
	}
}

// Replicas sets how many servers of a cluster have the queue's data: 1, which is the default, to 5.
func Replicas(n int) Option {
	return func(o *options) {
		if n < 1 || n > 5 {
			o.fail("Replicas(%d): it is from 1 to 5", n)
		}
		o.settings.Replicas, o.stated = n, append(o.stated, "Replicas")
	}
}

// Memory keeps the queue's data in the server's memory, which is faster. A restart of the server loses the data, unless
// other replicas have it.
func Memory() Option {
	return func(o *options) { o.settings.Memory, o.stated = true, append(o.stated, "Memory") }
}

// Parallel sets how many jobs a call of Serve runs at once, from 1, which is the default, to 1024. With 2, the slices
// of a job travel while the kernel of another runs. Parallel is not stored with the queue.
func Parallel(n int) Option {
	return func(o *options) {
		if n < 1 || n > 1024 {
			o.fail("Parallel(%d): it is from 1 to 1024", n)
		}
		o.parallel = n
	}
}

// Logger sets the logger for warnings about failed tries and about a server that does not answer. The default is
// slog.Default().
func Logger(l *slog.Logger) Option {
	return func(o *options) {
		if o.log = l; l == nil {
			o.fail("the logger of Logger is nil; slog.New(slog.DiscardHandler) drops all records")
		}
	}
}

// A queue is the streams and buckets of a name:
//
//	stream KGEN_name_JOBS, subject kgen.name.job: messages of jobs, each until it is finished
//	consumer KGEN_name_JOBS/workers: which jobs have been delivered
//	stream KGEN_name_DEAD, subjects kgen.name.dead.ID: dead letters
//	key-value bucket KGEN_name: a record for each finished job, by its id
//	object store KGEN_name: slices of jobs and results, as ID.job.N and ID.result.N
type queue struct {
	js       jetstream.JetStream
	name     string
	settings Settings
	parallel int
	log      *slog.Logger

	job, result *plan

	stream   jetstream.Stream
	dead     jetstream.Stream
	records  jetstream.KeyValue
	objects  jetstream.ObjectStore
	consumer jetstream.Consumer
}

// nameRule matches the allowed names of queues and ids of jobs. Both are parts of subjects.
var nameRule = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func checkName(of, name string) error {
	if !nameRule.MatchString(name) {
		return errorf(ErrInvalid, "%q is no %s: it has 1 to 64 letters of A-Z and a-z, digits, hyphens and underscores", name, of)
	}
	return nil
}

func (q *queue) jobsName() string    { return "KGEN_" + q.name + "_JOBS" }
func (q *queue) deadName() string    { return "KGEN_" + q.name + "_DEAD" }
func (q *queue) bucketName() string  { return "KGEN_" + q.name }
func (q *queue) jobSubject() string  { return "kgen." + q.name + ".job" }
func (q *queue) deadSubject() string { return "kgen." + q.name + ".dead." }

// request is how long a request may take. After that the server counts as not answering.
const request = 5 * time.Second

// consumerName is the name of the consumer that all workers share.
const consumerName = "workers"

// settingsKey is the key of the settings in the metadata of the stream of jobs.
const settingsKey = "kgen"

// openQueue finds or makes the queue. It launches nothing.
func openQueue(ctx context.Context, js jetstream.JetStream, name string, job, result reflect.Type, opts []Option) (*queue, error) {
	if js == nil {
		return nil, errorf(ErrInvalid, "the JetStream is nil")
	}
	if err := checkName("name of a queue", name); err != nil {
		return nil, err
	}
	o := options{settings: Settings{AckWait: DefaultAckWait, Tries: DefaultTries, Retention: DefaultRetention, Replicas: 1}, parallel: 1, log: slog.Default()}
	for _, opt := range opts {
		if opt == nil {
			return nil, errorf(ErrInvalid, "an option is nil")
		}
		opt(&o)
	}
	if o.err != nil {
		return nil, o.err
	}
	q := &queue{js: js, name: name, parallel: o.parallel, log: o.log.With("queue", name)}
	var err error
	if q.job, err = planOf(job); err != nil {
		return nil, err
	}
	if q.result, err = planOf(result); err != nil {
		return nil, err
	}
	o.settings.Job, o.settings.Result = q.job.shape, q.result.shape
	// The client library waits for a server that does not answer until the context ends.
	soon, cancel := context.WithTimeout(ctx, 2*request)
	defer cancel()
	if err := q.open(soon, o); err != nil {
		return nil, q.fault(ctx, "", "opening the queue", err)
	}
	return q, nil
}

func (q *queue) open(ctx context.Context, o options) error {
	stream, err := q.js.Stream(ctx, q.jobsName())
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		text, err := json.Marshal(o.settings)
		if err != nil {
			return err
		}
		stream, err = q.js.CreateStream(ctx, jetstream.StreamConfig{
			Name: q.jobsName(), Subjects: []string{q.jobSubject()}, Retention: jetstream.WorkQueuePolicy,
			Storage: storage(o.settings), Replicas: o.settings.Replicas, Metadata: map[string]string{settingsKey: string(text)},
		})
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another process was faster
			stream, err = q.js.Stream(ctx, q.jobsName())
		}
		if err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	q.stream = stream
	info := stream.CachedInfo()
	if err := json.Unmarshal([]byte(info.Config.Metadata[settingsKey]), &q.settings); err != nil {
		return &Error{Class: ErrConfig, Queue: q.name, Problem: "the stream " + q.jobsName() + " has no settings of a queue", Err: err}
	}
	if err := q.compare(o); err != nil {
		return err
	}
	return q.ensure(ctx)
}

// compare returns an error if the options or the types differ from the queue's.
func (q *queue) compare(o options) error {
	have, want := q.settings, o.settings
	for _, t := range []struct{ of, have, want string }{{"jobs", have.Job, want.Job}, {"results", have.Result, want.Result}} {
		if t.have != t.want {
			return &Error{Class: ErrType, Queue: q.name, Problem: fmt.Sprintf("its %s are of the type %s, and those of this program of %s", t.of, t.have, t.want)}
		}
	}
	for _, field := range o.stated {
		h, w := reflect.ValueOf(have).FieldByName(field), reflect.ValueOf(want).FieldByName(field)
		if !h.Equal(w) {
			return &Error{Class: ErrConfig, Queue: q.name, Problem: fmt.Sprintf("its setting %s is %v, and %v was asked for; Remove and a new start change settings", field, h, w)}
		}
	}
	return nil
}

// ensure finds or makes the queue's other stream, its consumer and its buckets.
func (q *queue) ensure(ctx context.Context) error {
	s := q.settings
	var err error
	q.dead, err = find(ctx, func(ctx context.Context) (jetstream.Stream, error) { return q.js.Stream(ctx, q.deadName()) }, func(ctx context.Context) (jetstream.Stream, error) {
		return q.js.CreateStream(ctx, jetstream.StreamConfig{
			Name: q.deadName(), Subjects: []string{q.deadSubject() + "*"}, MaxAge: s.Retention, Duplicates: min(s.Retention, 2*time.Minute),
			Storage: storage(s), Replicas: s.Replicas,
		})
	})
	if err != nil {
		return err
	}
	q.records, err = find(ctx, func(ctx context.Context) (jetstream.KeyValue, error) { return q.js.KeyValue(ctx, q.bucketName()) }, func(ctx context.Context) (jetstream.KeyValue, error) {
		return q.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: q.bucketName(), TTL: s.Retention, Storage: storage(s), Replicas: s.Replicas})
	})
	if err != nil {
		return err
	}
	q.objects, err = find(ctx, func(ctx context.Context) (jetstream.ObjectStore, error) {
		return q.js.ObjectStore(ctx, q.bucketName())
	}, func(ctx context.Context) (jetstream.ObjectStore, error) {
		return q.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: q.bucketName(), TTL: s.Retention, Storage: storage(s), Replicas: s.Replicas})
	})
	if err != nil {
		return err
	}
	// Consumers are made again with the same configuration, which changes nothing.
	q.consumer, err = q.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: s.AckWait, MaxDeliver: -1, MaxAckPending: -1,
	})
	return err
}

// find returns the stream or bucket that look finds. If there is none, build makes it.
func find[T any](ctx context.Context, look, build func(context.Context) (T, error)) (T, error) {
	part, err := look(ctx)
	if !gone(err) {
		return part, err
	}
	part, err = build(ctx)
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) || errors.Is(err, jetstream.ErrBucketExists) {
		return look(ctx)
	}
	return part, err
}

// exists returns an error if the server says that the queue does not exist. It returns nil if the
// server does not answer.
func (q *queue) exists(ctx context.Context) error {
	once, cancel := context.WithTimeout(ctx, request)
	defer cancel()
	if _, err := q.js.Stream(once, q.jobsName()); gone(err) {
		return err
	}
	return nil
}

func storage(s Settings) jetstream.StorageType {
	if s.Memory {
		return jetstream.MemoryStorage
	}
	return jetstream.FileStorage
}

// Remove removes the queue with its jobs, results and dead letters. Calls of Serve, and calls that wait for its jobs,
// then return ErrRemoved. If the queue does not exist, Remove returns no error.
func Remove(ctx context.Context, js jetstream.JetStream, name string) error {
	if js == nil {
		return errorf(ErrInvalid, "the JetStream is nil")
	}
	if err := checkName("name of a queue", name); err != nil {
		return err
	}
	q := &queue{js: js, name: name}
	for _, stream := range []string{q.jobsName(), q.deadName(), "KV_" + q.bucketName(), "OBJ_" + q.bucketName()} {
		once, cancel := context.WithTimeout(ctx, request)
		err := js.DeleteStream(once, stream)
		cancel()
		if err != nil && !gone(err) {
			return q.fault(ctx, "", "removing "+strings.ToLower(stream), err)
		}
	}
	return nil
}
