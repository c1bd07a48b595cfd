import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
} from '@kubewright/kube';
import { textAt } from '../annotations/read-annotation.ts';
import { specOf } from './parent-status.ts';

/** How a server names the volume with the token of a pod: anew for each. */
const TOKEN = /^kube-api-access-[a-z0-9]{5}$/;
/** Tolerations that a server gives to pods without them. */
const BY_DEFAULT = /^node\.kubernetes\.io\/(?:not-ready|unreachable)$/;
const CONTAINERS = ['containers', 'initContainers'] as const;

/**
 * A pod without what the cluster gives to each: its node, its priority (that of its class), the volume with its token, and
 * the tolerations of a node that is lost. Some servers add them before they call webhooks, and some afterwards.
 */
export function withoutPlacement(pod: KubeObject): JsonObject {
  const { nodeName: _, priority: __, preemptionPolicy: ___, ...spec } = specOf(pod);
  const containers = CONTAINERS.flatMap((key) => {
    const list = getOwn(spec, key);
    return isJsonArray(list)
      ? [[key, list.map((one) => without(one, 'volumeMounts', isToken))] as const]
      : [];
  });
  const placed = without(without(spec, 'volumes', isToken), 'tolerations', isDefaultToleration);
  return { ...(pod as JsonObject), spec: { ...(placed as JsonObject), ...Object.fromEntries(containers) } };
}

/** An object without some items of one of its lists, and without that list when nothing is left. */
function without(value: Json, key: string, isGiven: (item: JsonObject) => boolean): Json {
  if (!isJsonObject(value)) return value;
  const list = getOwn(value, key);
  if (!isJsonArray(list)) return value;
  const rest = list.filter((one) => !isJsonObject(one) || !isGiven(one));
  const { [key]: _, ...others } = value;
  return rest.length === 0 ? others : { ...others, [key]: rest };
}

const isToken = (item: JsonObject): boolean => TOKEN.test(textAt(item, 'name') ?? '');

const isDefaultToleration = (item: JsonObject): boolean =>
  getOwn(item, 'tolerationSeconds') === 300 && BY_DEFAULT.test(textAt(item, 'key') ?? '');
