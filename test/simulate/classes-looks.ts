import type { ComponentEnvironment } from '@kubewright/cluster';
import type { KubeObject } from '@kubewright/kube';
import type { ClassSteps } from '@kubewright/operators';

type Observed = NonNullable<Awaited<ReturnType<ClassSteps['observe']>>>;
type Decided = ReturnType<ClassSteps['decide']>;

/** What one process decided about a class, and on what. */
export class Look {
  /** The process that decided. */
  readonly process: object;
  readonly uid: string;
  /** The version of the class whose status may be replaced by the one decided on. */
  readonly version: string;
  /** All that was seen but the stored status, the load and the time: no two equal ones differ in anything that counts. */
  readonly seen: string;
  /** The readings of the load, each of which is another. */
  readonly loads: readonly string[];
  /** What is wrong with them. */
  readonly problems: readonly string[];
  /** The statuses of the conditions that it decided on, by type. */
  readonly conditions: ReadonlyMap<string, string>;
  /** Virtual milliseconds. */
  readonly at: number;
  /** When a deadline passes, as the decision says. */
  readonly due: number | undefined;

  constructor(environment: Environment, observed: Observed, more: string, decided: Decided) {
    const { metadata, status: stored } = observed.runtime;
    const { status = stored, requeueAfter } = decided;
    this.process = environment;
    this.uid = metadata.uid;
    this.version = metadata.resourceVersion;
    this.seen = seenIn(observed, environment, more);
    this.loads = loadsIn(observed);
    this.problems = problemsIn(observed, environment.clock.now());
    this.conditions = new Map((status?.conditions ?? []).map((each) => [each.type, each.status]));
    this.at = environment.clock.monotonic();
    this.due = requeueAfter === undefined ? undefined : this.at + requeueAfter;
  }
}

type Environment = Pick<ComponentEnvironment, 'clock' | 'report'>;

/** The same steps; each decision is reported. */
export function reporting(environment: Environment, steps: ClassSteps): ClassSteps {
  const reported = <D extends Decided>(observed: Observed, more: string, decided: D): D => {
    environment.report(new Look(environment, observed, more, decided));
    return decided;
  };
  return {
    ...steps,
    decide: (observed, now, done) => reported(observed, '', steps.decide(observed, now, done)),
    refused(observed, why, now) {
      const decision = steps.refused?.(observed, why, now);
      if (decision === undefined) throw new TypeError('classes report what is refused');
      return reported(observed, JSON.stringify(why), decision);
    },
  };
}

/** With how far the process's clock is off: it is set in some worlds, and all deadlines with it. */
function seenIn(observed: Observed, { clock }: Environment, more: string): string {
  const { runtime, rendered, live, pods, autoscalers = [], routers = [], unobserved = [] } = observed;
  const { generation, deletionTimestamp, finalizers = [], annotations = {} } = runtime.metadata;
  return JSON.stringify([
    [generation, deletionTimestamp, finalizers, annotations],
    'error' in rendered ? rendered.error : rendered.hash,
    [...live, ...pods, ...autoscalers].map(versionOf).toSorted(),
    [routers, unobserved, more, clock.now() - clock.monotonic()],
  ]);
}

function versionOf({ metadata }: KubeObject): string {
  return `${metadata.uid}@${metadata.resourceVersion}`;
}

function loadsIn({ load }: Observed): readonly string[] {
  return [...(load?.functions ?? [])].map(([key, { at, generation }]) => `${key} ${generation} ${at}`);
}

/** A problem is one once it has lasted for as long as a load may be old. */
function problemsIn({ load, settings: { maxAge = 0 } }: Observed, now: number): readonly string[] {
  return [load?.problem ?? []].flat().map(({ reason, since }) => {
    const isLasting = now - since >= 1000 * maxAge;
    return `${reason} since ${since}${isLasting ? ', for long' : ''}`;
  });
}
