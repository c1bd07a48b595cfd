import { type ClassRuntime, type ClassRuntimeStatus, FINALIZER } from '../api.ts';
import type { Live, LiveDeployment, LivePod, ObservedClass } from '../decide/observed-class.ts';
import { SILENT } from '../grid/grid-health.ts';
import { render } from '../templates/render.ts';
import { at, childrenOf, classOf, podOf, SETTINGS, timeAt, waitingPod } from './class-bench.ts';

/** The moment of every look: what began at 0 has lasted for longer than any grace, back-off or timeout. */
export const NOW = at(5000);
const [LONG_AGO, JUST_NOW] = [timeAt(0), timeAt(5000)];

const SILENT_GRID = 'ready, with a silent data grid';

/** What can be live of a class's objects: one of each kind that the table tells apart. */
const CHILDREN = [
  'none',
  'ready',
  'unready',
  'missing',
  'of an older template',
  "somebody else's",
  'terminating',
  'crash-looping',
  'image not pulled yet',
  'image not pulled for long',
  'misconfigured',
  'unschedulable',
  'over quota',
  'over the deadline',
  SILENT_GRID,
] as const;
const WISHES = ['as it is', 'new', 'paused', 'not renderable', 'deleted', 'deleted, not ours'] as const;
const ORPHANS = ['no orphans', 'orphans'] as const;
const LISTS = ['lists work', 'lists fail'] as const;

/** What is observed of a class, without its status and the time. */
export type ClassWorld = {
  readonly children: (typeof CHILDREN)[number];
  readonly orphans: (typeof ORPHANS)[number];
  readonly wish: (typeof WISHES)[number];
  readonly lists: (typeof LISTS)[number];
};

const USUAL = { orphans: 'no orphans', wish: 'as it is', lists: 'lists work' } as const;

/** All that can be live; and, of every other trouble, with what could make a difference to it. */
export const WORLDS: readonly ClassWorld[] = [
  ...worldsOf(CHILDREN, USUAL),
  ...worldsOf(['none', 'ready', 'unready', 'missing', 'over quota'], { ...USUAL, orphans: 'orphans' }),
  ...worldsOf(['none', 'ready'], { ...USUAL, wish: 'new' }),
  ...worldsOf(['ready', 'unready', 'missing'], { ...USUAL, wish: 'paused' }),
  ...worldsOf(['none', 'ready', 'unready'], { ...USUAL, wish: 'not renderable' }),
  ...worldsOf(['none', 'ready', 'unready', 'terminating', 'crash-looping'], { ...USUAL, wish: 'deleted' }),
  ...worldsOf(['none', 'ready'], { ...USUAL, wish: 'deleted, not ours' }),
  ...worldsOf(['none', 'ready', 'missing'], { ...USUAL, lists: 'lists fail' }),
  ...worldsOf(['none', 'ready'], { ...USUAL, wish: 'deleted', lists: 'lists fail' }),
];

function worldsOf(
  children: readonly ClassWorld['children'][],
  rest: Omit<ClassWorld, 'children'>,
): readonly ClassWorld[] {
  return children.map((each) => ({ ...rest, children: each }));
}

const HELLO = classOf({ odgm: true });
const READY = childrenOf(HELLO);
const UNREADY = childrenOf(HELLO, { hello: 0 });
const OTHERS = childrenOf(classOf({ functions: ['a', 'b'] }));
const RUNTIMES = new Map(WISHES.map((wish) => [wish, runtimeOf(wish)]));
const PARTS = new Map(
  CHILDREN.map((children) => [children, partsOf(children === SILENT_GRID ? 'ready' : children)]),
);

/** What the operator observes in a world, with this status stored. */
export function observedIn(world: ClassWorld, status: ClassRuntimeStatus): ObservedClass {
  const bare = RUNTIMES.get(world.wish) ?? HELLO;
  const { live, pods } = PARTS.get(world.children) ?? { live: [], pods: [] };
  return {
    runtime: status.phase === undefined ? bare : { ...bare, status },
    settings: SETTINGS,
    rendered: RENDERED.get(world.wish) ?? { error: 'unknown' },
    live: world.orphans === 'orphans' ? [...live, ...OTHERS] : live,
    pods,
    unobserved: world.lists === 'lists fail' ? ['Deployment'] : [],
    grid: world.children === SILENT_GRID ? SILENT : { ready: true },
  };
}

const RENDERED = new Map([...RUNTIMES].map(([wish, runtime]) => [wish, render(runtime, SETTINGS)]));

function runtimeOf(wish: ClassWorld['wish']): ClassRuntime {
  const { metadata, spec } = HELLO;
  const deletionTimestamp = LONG_AGO;
  switch (wish) {
    case 'as it is':
      return HELLO;
    case 'new':
      return classOf({ finalizers: [] });
    case 'paused':
      return classOf({ paused: true });
    case 'not renderable':
      return { ...HELLO, spec: { ...spec, functions: [{ function_key: 'main' }] } };
    case 'deleted':
      return { ...HELLO, metadata: { ...metadata, deletionTimestamp, finalizers: [FINALIZER] } };
    case 'deleted, not ours':
      return { ...HELLO, metadata: { ...metadata, deletionTimestamp, finalizers: ['other'] } };
  }
}

type Parts = { readonly live: readonly Live[]; readonly pods: readonly LivePod[] };

function partsOf(children: Exclude<ClassWorld['children'], typeof SILENT_GRID>): Parts {
  const live = (objects: readonly Live[], ...pods: readonly LivePod[]): Parts => ({ live: objects, pods });
  switch (children) {
    case 'none':
      return live([]);
    case 'ready':
      return live(READY);
    case 'unready':
      return live(UNREADY);
    case 'missing':
      return live(READY.slice(1));
    case 'of an older template':
      return live(childrenOf(classOf({ odgm: true, image: 'hello:0' })));
    case "somebody else's":
      return live(READY.map((object) => withMetadata(object, { ownerReferences: [] })));
    case 'terminating':
      return live(READY.map((object) => withMetadata(object, { deletionTimestamp: LONG_AGO })));
    case 'over quota':
      return live(UNREADY.map((object) => withCondition(object, 'ReplicaFailure', 'True', 'FailedCreate')));
    case 'over the deadline':
      return live(
        UNREADY.map((object) => withCondition(object, 'Progressing', 'False', 'ProgressDeadlineExceeded')),
      );
    default:
      return live(UNREADY, failingPod(children));
  }
}

function failingPod(children: ClassWorld['children']): LivePod {
  if (children === 'crash-looping') return waitingPod(HELLO, 'CrashLoopBackOff', { restartCount: 3 });
  if (children === 'misconfigured') return waitingPod(HELLO, 'CreateContainerConfigError');
  if (children === 'image not pulled yet') return waitingPod(HELLO, 'ErrImagePull', { since: 5000 });
  if (children === 'image not pulled for long') return waitingPod(HELLO, 'ImagePullBackOff');
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' } as const;
  return podOf(HELLO, { conditions: [{ ...condition, lastTransitionTime: LONG_AGO }] });
}

function withMetadata(object: Live, more: Partial<Live['metadata']>): Live {
  return { ...object, metadata: { ...object.metadata, ...more } };
}

function withCondition(object: Live, type: string, status: string, reason: string): Live {
  if (object.kind !== 'Deployment') return object;
  const conditions = [{ type, status, reason, lastTransitionTime: LONG_AGO }];
  return { ...object, status: { ...object.status, conditions } as NonNullable<LiveDeployment['status']> };
}

const STATES = new Map<string, ClassRuntimeStatus>();

/** Equal states are one object. */
function stateFrom(json: string): ClassRuntimeStatus {
  const known = STATES.get(json);
  if (known !== undefined) return known;
  const state = JSON.parse(json) as ClassRuntimeStatus;
  STATES.set(json, state);
  return state;
}

/** The state as it is long after it was written. */
export function aged(state: ClassRuntimeStatus): ClassRuntimeStatus {
  return stateFrom(JSON.stringify(state).replaceAll(JUST_NOW, LONG_AGO));
}

/** Only what a decision depends on: equal ones are one object. */
export function stateOf(status: ClassRuntimeStatus): ClassRuntimeStatus {
  const { phase, observed_generation, lifecycle, odgm } = status;
  if (phase === undefined) return stateFrom('{}');
  const { refused, ...rest } = lifecycle ?? {};
  const kept = refused === undefined ? rest : { ...rest, refused: { ...refused, message: '' } };
  const grid = { ready: true, unhealthy_since: odgm?.unhealthy_since };
  const state = { phase, observed_generation, lifecycle: { ...kept, reasons: undefined }, odgm: grid };
  return stateFrom(JSON.stringify(state));
}
