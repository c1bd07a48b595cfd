import type { Write } from './count-writes.ts';
import { type Arm, ARMS } from './scenario.ts';

/** What somebody wrote in the life of a controller, and what drift said of it. */
export type Tally = {
  /** Writes by the controller by which the server has stored something, before anything was planted. */
  readonly writes: Readonly<Record<Arm, number>>;
  readonly expected: number;
  /** Drift where something is planted. */
  readonly drift: number;
  /** Drift where nothing is. */
  readonly falseAlarms: readonly Write[];
  /** Planted, and allowed in `enforce`, or not seen in an arm with a policy. */
  readonly missed: readonly string[];
  /** How many more writes there were, with a policy than without: by arm and kind of write. */
  readonly extra: readonly string[];
};

/** Who wrote, and where: the arm of a namespace. */
export type Told = {
  readonly controller: string;
  readonly armOf: (namespace: string) => Arm | undefined;
  readonly plantedFrom: string | undefined;
};

/** What a life of a controller comes to. */
export function tally(writes: readonly Write[], { controller, armOf, plantedFrom }: Told): Tally {
  const placed = writes.flatMap((write) => {
    const arm = armOf(write.namespace);
    return arm === undefined ? [] : [{ ...write, arm }];
  });
  const isPlanted = ({ at }: Write): boolean => plantedFrom !== undefined && at >= plantedFrom;
  const before = placed.filter((write) => !isPlanted(write));
  const own = before.filter(({ user, code }) => user === controller && code < 300);
  const caught = placed.filter((write) => isPlanted(write) && write.verdict === 'drift');
  return {
    writes: { plain: storedIn(own, 'plain'), log: storedIn(own, 'log'), enforce: storedIn(own, 'enforce') },
    expected: placed.filter(({ verdict }) => verdict === 'expected').length,
    drift: caught.length,
    falseAlarms: before.filter(({ verdict }) => verdict === 'drift'),
    missed: plantedFrom === undefined ? [] : missedIn(caught),
    extra: extraIn(own),
  };
}

/** What is applied again as it is, at each round, is no write that anybody sees. */
function storedIn(writes: readonly (Write & { readonly arm: Arm })[], arm: Arm): number {
  return writes.filter((write) => write.arm === arm && !write.isNoop).length;
}

function missedIn(caught: readonly (Write & { readonly arm: Arm })[]): readonly string[] {
  return ARMS.filter((arm) => arm !== 'plain').flatMap((arm) => {
    const there = caught.filter((write) => write.arm === arm);
    if (there.length === 0) return [`nothing in ${arm}`];
    return arm === 'enforce' && there.some(({ code }) => code !== 403) ? ['allowed in enforce'] : [];
  });
}

function extraIn(own: readonly (Write & { readonly arm: Arm })[]): readonly string[] {
  const counts = new Map<string, Record<Arm, number>>();
  for (const { arm, verb, resource, isNoop } of own) {
    const key = `${verb} ${resource}${isNoop && verb !== 'patch' ? AGAIN : ''}`;
    const count = counts.get(key) ?? { plain: 0, log: 0, enforce: 0 };
    counts.set(key, { ...count, [arm]: count[arm] + 1 });
  }
  return [...counts].flatMap(([key, count]) =>
    (['log', 'enforce'] as const)
      .filter((arm) => count[arm] > mostOf(key, count.plain))
      .map((arm) => `${arm}: ${key} ${count[arm]}, not ${count.plain}`),
  );
}

/** What somebody has deleted before, or an update that stores nothing. */
const AGAIN = ' again';
const VARIES = new RegExp(`^patch |/status$|${AGAIN}$`);

/**
 * How often a status is written, or the same is applied, varies by itself: what happens at the same time is told once, and
 * after a conflict a controller does all of its round again. A call that takes longer, as one with a webhook does, lets a
 * controller see more of what is on its way: LeaderWorkerSet then reports more steps of a rollout (1 and 2 of 3 groups are
 * ready), each of them once. Prometheus Operator updates four Secrets and a Service, as they are, in each of its rounds, of
 * which there are 26 to 28 in one life without any policy. A pod that a person has deleted, KubeRay deletes again where it
 * sees it before its kubelet has ended it: never, once or twice without any policy. A loop, or a second write for each first
 * one, is more than that.
 */
function mostOf(key: string, plain: number): number {
  return VARIES.test(key) ? Math.ceil(plain * 1.5) + 2 : plain;
}
