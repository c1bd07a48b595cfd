import type { RequestForm } from '../../packages/operators/src/classes/class-load.ts';
import { readSettings } from '../../packages/operators/src/classes/settings.ts';

/** A day of one function, in seconds since it began. All loads are in millicores of all its pods together. */
export type LoadDay = {
  readonly name: string;
  readonly begins: number;
  readonly load: (t: number) => number;
  readonly ends: number;
  /** Faults of the pods, and of what is measured of them. */
  readonly troubles?: Partial<Troubles>;
  /** Requests for each core-second of load; the class requires so many per second. Absent: it goes by CPU alone. */
  readonly requests?: {
    readonly perCore: number;
    readonly required: number;
    /** How their histogram is kept. Default: classic. Only sources that know a form play a day with it. */
    readonly form?: RequestForm;
  };
};

type Troubles = {
  /** All containers are restarted, seconds after each other. */
  readonly restartsEach: number;
  /** When all pods are replaced. */
  readonly rolloutAt: number;
  /** When another process of the operator begins. */
  readonly operatorRestartsAt: number;
  /** Of which pods there are samples of CPU, and of requests. `index`: among those that run. */
  readonly isMeasured: (what: 'cpu' | 'requests', t: number, index: number) => boolean;
  /** Seconds between a sample and its arrival. */
  readonly lateness: number;
  /** By how many jobs each is scraped. */
  readonly jobs: number;
};

const SETTINGS = readSettings({});
const MINUTE = 60;
const [LOW, HIGH] = [400, 2600];

/** The replicas that a load needs, and no other number. */
export function needOf({ load, requests }: LoadDay, t: number): number {
  const perCpu = load(t) / SETTINGS.cpuPerPod;
  const perRequest =
    requests === undefined ? 0 : requests.required / requests.perCore / (SETTINGS.cpuPerPod / 1000);
  return Math.max(1, Math.ceil(perCpu - 1e-6), Math.ceil(perRequest - 1e-6));
}

const steady = (load: number) => (): number => load;
const ramp =
  (from: number, to: number, begins: number, ends: number) =>
  (t: number): number =>
    from + (to - from) * Math.min(1, Math.max(0, (t - begins) / (ends - begins)));
const between = (t: number, from: number, to: number): boolean => t >= from * MINUTE && t < to * MINUTE;

/** Loads as they come, and what goes wrong with them: each was seen to scale a healthy application wrongly. */
export const DAYS: readonly LoadDay[] = [
  { name: 'steady', begins: 6, load: steady(HIGH), ends: 60 * MINUTE },
  { name: 'rising', begins: 1, load: ramp(LOW, HIGH, 20 * MINUTE, 40 * MINUTE), ends: 90 * MINUTE },
  { name: 'falling', begins: 6, load: ramp(HIGH, LOW, 20 * MINUTE, 40 * MINUTE), ends: 100 * MINUTE },
  {
    name: 'spikes of two minutes',
    begins: 2,
    load: (t) => (t % (20 * MINUTE) < 2 * MINUTE ? 2700 : 900),
    ends: 90 * MINUTE,
  },
  { name: 'more replicas than it needs', begins: 10, load: steady(HIGH), ends: 90 * MINUTE },
  {
    name: 'containers restart',
    begins: 6,
    load: steady(HIGH),
    ends: 60 * MINUTE,
    troubles: { restartsEach: 7 * MINUTE },
  },
  {
    name: 'all samples stop for 15 minutes',
    begins: 6,
    load: steady(HIGH),
    ends: 60 * MINUTE,
    troubles: { isMeasured: (_what, t) => !between(t, 20, 35) },
  },
  {
    name: 'half of the pods are not measured',
    begins: 6,
    load: steady(HIGH),
    ends: 60 * MINUTE,
    troubles: { isMeasured: (_what, t, index) => index % 2 === 0 || !between(t, 20, 40) },
  },
  {
    name: 'a third of the pods is not measured',
    begins: 6,
    load: steady(HIGH),
    ends: 60 * MINUTE,
    troubles: { isMeasured: (_what, t, index) => index % 3 !== 0 || !between(t, 20, 40) },
  },
  {
    name: 'requests of two in five pods are not counted',
    begins: 5,
    load: steady(1000),
    requests: { perCore: 50, required: 125 },
    ends: 60 * MINUTE,
    troubles: { isMeasured: (what, t, index) => what === 'cpu' || index >= 2 || !between(t, 20, 40) },
  },
  {
    name: 'requests are not counted',
    begins: 5,
    load: steady(1000),
    requests: { perCore: 50, required: 125 },
    ends: 60 * MINUTE,
    troubles: { isMeasured: (what, t) => what === 'cpu' || !between(t, 20, 40) },
  },
  ...(['vmrange', 'native'] as const).map(
    (form): LoadDay => ({
      name: `requests in ${form} histograms`,
      begins: 3,
      load: steady(1000),
      requests: { perCore: 50, required: 125, form },
      ends: 60 * MINUTE,
    }),
  ),
  {
    name: 'samples are 90 seconds late',
    begins: 6,
    load: ramp(HIGH, LOW, 20 * MINUTE, 40 * MINUTE),
    ends: 100 * MINUTE,
    troubles: { lateness: 90 },
  },
  {
    name: 'two jobs scrape each pod',
    begins: 6,
    load: steady(HIGH),
    ends: 40 * MINUTE,
    troubles: { jobs: 2 },
  },
  {
    name: 'a rollout replaces all pods',
    begins: 6,
    load: steady(HIGH),
    ends: 60 * MINUTE,
    troubles: { rolloutAt: 20 * MINUTE },
  },
  {
    name: 'a rollout, and the operator restarts',
    begins: 6,
    load: steady(HIGH),
    ends: 60 * MINUTE,
    troubles: { rolloutAt: 20 * MINUTE, operatorRestartsAt: 22 * MINUTE },
  },
];
