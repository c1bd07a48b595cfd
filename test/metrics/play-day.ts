import { systemClock } from '@kubewright/kube';
import type {
  ClassLoad,
  FunctionLoad,
  RequestForm,
} from '../../packages/operators/src/classes/class-load.ts';
import { prometheus } from '../../packages/operators/src/classes/load/prometheus.ts';
import {
  nothingSeen,
  workloadLoads,
  type WorkloadSeen,
} from '../../packages/operators/src/classes/load/workload-loads.ts';
import { readSettings } from '../../packages/operators/src/classes/settings.ts';
import { at } from '../../packages/operators/src/classes/testing/class-bench.ts';
import {
  detailOf,
  type EnforcedClass,
  enforcedClass,
  look,
} from '../../packages/operators/src/classes/testing/enforcement-bench.ts';
import { type LoadDay, needOf } from './loads.ts';
import { MeasuredPods, NAMESPACE } from './measured-pods.ts';
import { remoteWrite } from './sources/remote-write.ts';
import type { Source } from './sources/source.ts';

/** What was seen at one look. */
export type Look = {
  readonly t: number;
  readonly need: number;
  readonly recommended: number;
  readonly replicas: number;
  /** Of the condition `NfrObserved`. */
  readonly reason: string;
  /** The form of the histograms of requests, as the status says it. */
  readonly histograms: RequestForm | undefined;
};

const SCRAPE = 15;
/** Of a query, in real time. */
const TIMEOUT_MS = 30_000;
const SETTINGS = readSettings({});
/** Before the first look a range has passed: nobody begins with no history. */
const HISTORY = 20 * 60;

/** Days are apart: none sees the samples of another, and no source takes what is older than what it has. */
const APART = 2 * 86_400;

/** Plays a day at all defaults, by a clock of its own. `number`: of all days of all sources, some of which share their samples. */
export async function playDay(day: LoadDay, source: Source, number: number): Promise<readonly Look[]> {
  const played = new PlayedDay(day, source, number * APART);
  const looks: Look[] = [];
  for (let t = -HISTORY; t <= day.ends; t += SCRAPE) {
    await played.work(t);
    if (t % SETTINGS.analyzerInterval !== 0) continue;
    await played.measure(t);
    if (t >= 0) looks.push(played.look(t));
  }
  return looks;
}

class PlayedDay {
  readonly #day: LoadDay;
  readonly #source: Source;
  /** Seconds from the time at which the tests of classes begin. */
  readonly #begins: number;
  readonly #start: number;
  readonly #pods: MeasuredPods;
  #state: EnforcedClass;
  #memory: Memory = {};

  constructor(day: LoadDay, source: Source, begins: number) {
    this.#day = day;
    this.#source = source;
    this.#begins = begins;
    this.#start = at(begins).getTime();
    this.#pods = new MeasuredPods(day, this.#start);
    this.#pods.scale(day.begins, -HISTORY);
    this.#state = withRequirement(enforcedClass({ current: day.begins }), day);
  }

  async work(t: number): Promise<void> {
    const { rolloutAt, operatorRestartsAt } = this.#day.troubles ?? {};
    if (t === rolloutAt) this.#pods.replaceAll(t);
    if (t === operatorRestartsAt) this.#memory = {};
    const samples = this.#pods.work(t, SCRAPE);
    // No two replicas scrape at the same moment.
    for (const { url, earlierMs } of this.#source.writes)
      await remoteWrite(
        url,
        samples.map((sample) => ({ ...sample, at: sample.at - earlierMs })),
      );
  }

  async measure(t: number): Promise<void> {
    await this.#source.flush();
    const now = this.#start + 1000 * t;
    const load = await measured(this.#source, this.#pods.runningAt(t), now, this.#memory);
    const { generation = 1 } = this.#state.runtime.metadata;
    if (load !== undefined) this.#memory.load = { ...load, generation };
  }

  look(t: number): Look {
    this.#state = look(this.#state, this.#begins + t, loadOf(this.#state, this.#memory.load));
    const replicas = replicasOf(this.#state);
    this.#pods.scale(replicas, t);
    const { conditions = [] } = this.#state.runtime.status ?? {};
    return {
      t,
      need: needOf(this.#day, t),
      recommended: detailOf(this.#state)?.recommended ?? 0,
      replicas,
      histograms: detailOf(this.#state)?.histograms,
      reason: conditions.find(({ type }) => type === 'NfrObserved')?.reason ?? '',
    };
  }
}

/** What a process of the operator knows. */
type Memory = { seen?: WorkloadSeen; load?: FunctionLoad };

/** As it is queried at a time of the day: no source can tell that it is another day. */
async function measured(
  { url, parameters }: Source,
  running: ReadonlyMap<string, number>,
  now: number,
  memory: Memory,
): Promise<Omit<FunctionLoad, 'generation'> | undefined> {
  const clock = { now: () => now, monotonic: () => now };
  memory.seen ??= nothingSeen(now);
  const queried = prometheus({
    url: `${url}?time=${now / 1000}&nocache=1${parameters}`,
    timeoutMs: TIMEOUT_MS,
    clock: systemClock,
  });
  const target = { namespace: NAMESPACE, pods: [...running.keys()], running, range: SETTINGS.promRange };
  const workload = { seen: memory.seen, before: memory.load, running: target };
  const { signal } = new AbortController();
  const [read = {}] = await workloadLoads({ source: queried, clock }, [workload], signal);
  await queried.close();
  if ('error' in read) throw read.error;
  return read.load;
}

function loadOf({ runtime }: EnforcedClass, load: FunctionLoad | undefined): ClassLoad {
  const functions = new Map(load === undefined ? [] : [['main', load] as const]);
  return { uid: runtime.metadata.uid, functions };
}

function withRequirement(state: EnforcedClass, { requests }: LoadDay): EnforcedClass {
  if (requests === undefined) return state;
  const nfr_requirements = { min_throughput_rps: requests.required };
  return { ...state, runtime: { ...state.runtime, spec: { ...state.runtime.spec, nfr_requirements } } };
}

function replicasOf({ live }: EnforcedClass): number {
  const deployment = live.find(({ kind }) => kind === 'Deployment');
  return (deployment?.spec as { readonly replicas?: number } | undefined)?.replicas ?? 1;
}
