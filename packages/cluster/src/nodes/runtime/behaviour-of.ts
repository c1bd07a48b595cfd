import { type corev1, matchesGlob, type Stored } from '@kubewright/kube';
import type { Behaviour, ImageBehaviours } from './behaviour.ts';
import { commandBehaviour } from './command-behaviour.ts';

/** Prefix of the annotations by which a pod says how its simulated containers behave. */
const BEHAVIOUR_PREFIX = 'nodes.kubewright.dev/';

/**
 * How a container of a pod behaves: what its command says (`exit 3`), over that what is said for its image, over that, for
 * all but init containers, what the pod's annotations say.
 */
export function behaviourOf(
  pod: Stored<corev1.Pod>,
  container: corev1.Container,
  images: ImageBehaviours,
): Behaviour {
  const image = container.image ?? '';
  const byImage = Object.entries(images).find(([pattern]) => matchesGlob(pattern, image))?.[1] ?? {};
  const init = pod.spec.initContainers?.find(({ name }) => name === container.name);
  const isInit = init !== undefined;
  const annotated = isInit ? {} : annotatedBehaviour(pod.metadata.annotations ?? {});
  return {
    ...commandBehaviour(container, isInit && init.restartPolicy !== 'Always'),
    ...byImage,
    ...annotated,
  };
}

type Reader = (value: string) => Behaviour;

const flag =
  (behaviour: Behaviour): Reader =>
  (value) =>
    value === 'true' ? behaviour : {};

const duration =
  (key: keyof Behaviour): Reader =>
  (value) => {
    const ms = parseDuration(value);
    return ms === undefined ? {} : { [key]: ms };
  };

const integer =
  (key: keyof Behaviour): Reader =>
  (value) =>
    /^\d{1,9}$/.test(value) ? { [key]: Number(value) } : {};

/** What each annotation means; one with a value that makes no sense means nothing. */
const ANNOTATIONS: readonly (readonly [name: string, read: Reader])[] = [
  ['pull', duration('pullMs')],
  ['image-error', (message) => ({ imageError: message })],
  ['start-error', (message) => ({ startError: message })],
  ['oom', flag({ exitAfterMs: 0, exitCode: 137, exitReason: 'OOMKilled' })],
  ['crash', flag({ exitAfterMs: 0, exitCode: 1 })],
  ['exit-after', duration('exitAfterMs')],
  ['exit-code', integer('exitCode')],
  ['exits', integer('exits')],
  ['ready-after', duration('readyAfterMs')],
  ['ready', (value) => (value === 'false' ? { unready: true } : {})],
  ['unhealthy-after', duration('unhealthyAfterMs')],
  ['stop', duration('stopMs')],
  ['stop-code', integer('stopCode')],
];

function annotatedBehaviour(annotations: Readonly<Record<string, string>>): Behaviour {
  let behaviour: Behaviour = {};
  for (const [name, read] of ANNOTATIONS) {
    const key = `${BEHAVIOUR_PREFIX}${name}`;
    const value = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    if (value !== undefined) behaviour = { ...behaviour, ...read(value) };
  }
  return behaviour;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `1.5s`, `200ms`, `2m` in milliseconds; a bare number is seconds. */
function parseDuration(text: string): number | undefined {
  const [, amount = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(text) ?? [];
  return amount === '' ? undefined : Math.round(Number(amount) * (UNITS[unit === '' ? 's' : unit] ?? 1000));
}
