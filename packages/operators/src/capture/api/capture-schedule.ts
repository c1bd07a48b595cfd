import { type CustomObject, customResource, type Infer, s, type Stored } from '@kubewright/kube';
import { VERSION } from './annotations.ts';
import { captureManner, labelSelector, selectionFields } from './manifest-capture-request.ts';
import { patience } from './volume-capture-request.ts';

/** A group of our own: the originals have no schedules. */
export const SCHEDULE_GROUP = 'capture.kubewright.io';

const GO_DURATION = '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$';

const retention = s.object(
  {
    count: s.integer({
      minimum: 1,
      maximum: 1000,
      default: 7,
      description: 'How many runs that have succeeded are kept, and as many of those that have failed.',
    }),
    age: s.optional(
      s.string({
        maxLength: 64,
        pattern: GO_DURATION,
        description:
          'Older runs are deleted, as a Go duration (720h); the last one that has succeeded is kept. Default: whatever their age.',
      }),
    ),
  },
  { default: {}, description: 'Which runs are kept. A run is deleted with all that it captured.' },
);

const manifests = s.object(
  {
    selection: s.object(selectionFields, {
      description: 'All objects of these kinds with these labels (default: any) that no controller creates.',
    }),
    ...captureManner,
  },
  { description: 'The ManifestCaptureRequest that each run makes.' },
);

const volumes = s.object(
  { labelSelector: s.optional(labelSelector), ...patience },
  {
    description:
      'Each run makes a VolumeCaptureRequest for each bound claim with these labels (default: any).',
  },
);

const spec = s.object(
  {
    schedule: s.string({
      minLength: 1,
      maxLength: 256,
      description: 'When captures are made, as in a CronJob: "0 3 * * *", "@daily".',
    }),
    timeZone: s.optional(
      s.string({
        minLength: 1,
        maxLength: 64,
        description: 'The time zone of the schedule, as "Europe/Berlin". Default: UTC.',
      }),
    ),
    suspend: s.boolean({
      default: false,
      description: 'Whether no captures are made, and none is deleted. What is due meanwhile is missed.',
    }),
    startingDeadlineSeconds: s.optional(
      s.integer({
        minimum: 1,
        description:
          'A capture that could not be begun within so many seconds is left out. Default: the last one that was missed is made.',
      }),
    ),
    concurrencyPolicy: s.oneOf(['Forbid', 'Allow', 'Replace'], {
      default: 'Forbid',
      description:
        'While requests of an earlier run have not ended: Forbid waits for them, Allow begins, Replace deletes them first.',
    }),
    jitterSeconds: s.integer({
      minimum: 0,
      maximum: 86_400,
      default: 0,
      description:
        'Each run begins up to so many seconds later, each schedule by another time, so that not all begin at once.',
    }),
    retention,
    manifests: s.optional(manifests),
    volumes: s.optional(volumes),
  },
  {
    description: 'When, what, and how long it is kept.',
    validations: [
      { rule: 'has(self.manifests) || has(self.volumes)', message: 'manifests or volumes is required' },
    ],
  },
);

const status = s.object(
  {
    lastScheduleTime: s.optional(s.time({ description: 'The moment of the last run that was begun.' })),
    lastSuccessTime: s.optional(s.time({ description: 'The moment of the last run that has succeeded.' })),
    lastMissedTime: s.optional(s.time({ description: 'The moment of the last run that was left out.' })),
    nextScheduleTime: s.optional(s.time({ description: 'The moment of the next run, without its jitter.' })),
    active: s.optional(s.integer({ minimum: 0, description: 'How many requests have not ended.' })),
    kept: s.optional(s.integer({ minimum: 0, description: 'How many runs that have succeeded are kept.' })),
    conditions: s.optional(s.conditions({ description: 'Ready: whether captures are made.' })),
  },
  { description: 'What has been done.' },
);

const captureSchedule = s.object(
  { spec, status: s.optional(status) },
  { description: 'Makes capture requests by the clock, and deletes those of old runs.' },
);

/** Makes ManifestCaptureRequests by the clock, and deletes old ones. */
export const CAPTURE_SCHEDULES = customResource({
  group: SCHEDULE_GROUP,
  version: VERSION,
  kind: 'CaptureSchedule',
  plural: 'captureschedules',
  shortNames: ['csched'],
  categories: ['kubewright'],
  scope: 'Namespaced',
  schema: captureSchedule,
  columns: [
    { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' },
    { name: 'Suspend', type: 'boolean', jsonPath: '.spec.suspend' },
    { name: 'Active', type: 'integer', jsonPath: '.status.active' },
    { name: 'Kept', type: 'integer', jsonPath: '.status.kept' },
    { name: 'Last Success', type: 'date', jsonPath: '.status.lastSuccessTime' },
    { name: 'Next', type: 'string', jsonPath: '.status.nextScheduleTime', priority: 1 },
    {
      name: 'Reason',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
      priority: 1,
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type CaptureSchedule = Stored<CustomObject<Infer<typeof captureSchedule>>>;
export type CaptureScheduleStatus = Infer<typeof status>;
