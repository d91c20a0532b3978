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

// Settings contains the settings of a queue. The first call with the queue's name creates the
// queue. The settings come from the options of this call, and from its types of jobs and results.
// Later calls use the stored settings, and return ErrConfig if an option differs from a stored
// setting.
type Settings struct {
	AckWait   time.Duration // time after a worker's last heartbeat until the worker counts as dead
	Tries     int           // number of failed deliveries after which a job becomes a dead letter
	Retention time.Duration // retention time of results, slices and dead letters
	Replicas  int           // number of servers in a cluster that store the data
	Memory    bool          // whether the data is stored only in the server's memory
	Job       string        // type of jobs, with names of fields, kinds and lengths
	Result    string        // type of results, with names of fields, kinds and lengths
}

// These are the default settings of queues.
const (
	DefaultAckWait   = 30 * time.Second
	DefaultTries     = 5
	DefaultRetention = 24 * time.Hour
)

// MaxInline is the size limit for slices that are stored in messages, which is 512 KiB. Longer
// slices are stored in objects. The server must accept messages of 1 MiB, which is its default.
const MaxInline = 512 << 10

// An Option is an option of Open and Serve.
type Option func(*options)

type options struct {
	settings Settings
	stated   []string // names of the fields of settings that options have set
	parallel int
	log      *slog.Logger
	err      error
}

func (o *options) fail(format string, args ...any) {
	if o.err == nil {
		o.err = errorf(ErrInvalid, format, args...)
	}
}

// AckWait sets how long the server waits for a heartbeat of a worker that runs a job, from 100 ms
// to an hour. The default of AckWait is 30 seconds. Workers send a heartbeat after each third of
// AckWait, also while a kernel runs. If no heartbeat comes in time, the job goes to another worker.
func AckWait(d time.Duration) Option {
	return func(o *options) {
		if d < 100*time.Millisecond || d > time.Hour {
			o.fail("AckWait(%v): it is from 100 ms to an hour", d)
		}
		o.settings.AckWait, o.stated = d, append(o.stated, "AckWait")
	}
}

// Tries sets how often a job is delivered to workers, from 1 to 1000. The default of Tries is 5. If
// the last try ends with an error, or the worker of the last try dies, the job becomes a dead
// letter.
func Tries(n int) Option {
	return func(o *options) {
		if n < 1 || n > 1000 {
			o.fail("Tries(%d): it is from 1 to 1000", n)
		}
		o.settings.Tries, o.stated = n, append(o.stated, "Tries")
	}
}

// Retention sets how long the server keeps data of jobs. The least value is a second. The default
// of Retention is 24 hours. The time begins for results and dead letters when the job ends, and for
// the job's long slices when the job is submitted. The slices of a job are removed as soon as the
// job has a result. When the retention of a job is over, another job may have its id.
func Retention(d time.Duration) Option {
	return func(o *options) {
		if d < time.Second {
			o.fail("Retention(%v): it is at least a second", d)
		}
		o.settings.Retention, o.stated = d, append(o.stated, "Retention")
	}
}

// Replicas sets how many servers in a cluster store the queue's data, from 1 to 5. The default of
// Replicas is 1.
func Replicas(n int) Option {
	return func(o *options) {
		if n < 1 || n > 5 {
			o.fail("Replicas(%d): it is from 1 to 5", n)
		}
		o.settings.Replicas, o.stated = n, append(o.stated, "Replicas")
	}
}

// Memory keeps the queue's data in the server's memory, which is faster. If the server restarts,
// the data is lost, unless other replicas have it.
func Memory() Option {
	return func(o *options) { o.settings.Memory, o.stated = true, append(o.stated, "Memory") }
}

// Parallel sets how many jobs a call of Serve runs at once, from 1 to 1024. The default of Parallel
// is 1. With Parallel(2), the slices of one job are transferred while the kernel of another job
// runs. Parallel is not stored with the queue.
func Parallel(n int) Option {
	return func(o *options) {
		if n < 1 || n > 1024 {
			o.fail("Parallel(%d): it is from 1 to 1024", n)
		}
		o.parallel = n
	}
}

// Logger sets the logger for warnings about failed tries and about a server that does not answer.
// The default logger is slog.Default().
func Logger(l *slog.Logger) Option {
	return func(o *options) {
		if o.log = l; l == nil {
			o.fail("the logger of Logger is nil; slog.New(slog.DiscardHandler) drops all records")
		}
	}
}

// A queue consists of the following streams and buckets on the server:
//
//	stream KGEN_name_JOBS, subject kgen.name.job: messages of jobs that have not ended
//	consumer KGEN_name_JOBS/workers: state of the deliveries of jobs
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

// nameRule matches the allowed names of queues and ids of jobs. The rule is necessary because names
// and ids are parts of subjects.
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

// The constant `request` is the time limit for the server's answer to a request.
const request = 5 * time.Second

// consumerName is the name of the consumer that all workers share.
const consumerName = "workers"

// settingsKey is the key of the settings in the metadata of the stream of jobs.
const settingsKey = "kgen"

// openQueue finds or creates the queue. openQueue starts no goroutines.
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
	// If the server does not answer, the client library waits until the context ends.
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
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another process has created the stream
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

// The method compare returns an error if the options or types of a call differ from the queue's
// settings.
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

// The method ensure finds the stream of dead letters, the consumer and the buckets, or creates
// them.
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
	// Creating a consumer again with the same configuration changes nothing.
	q.consumer, err = q.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: s.AckWait, MaxDeliver: -1, MaxAckPending: -1,
	})
	return err
}

// The function find calls `look` to find a stream or a bucket. If it does not exist, find calls
// `build` to create it.
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

// The method exists returns an error if the server says that the queue does not exist. If the
// server does not answer, exists returns nil.
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

// Remove removes the queue with its jobs, results and dead letters. Calls of Serve and Wait for a
// removed queue return ErrRemoved. If the queue does not exist, Remove returns no error.
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
