import { type Json, type JsonObject, setOwn } from '@kubewright/kube';
import { canonicalQuantity } from '@kubewright/kube/quantity';
import { quantityMillis } from '../validation/quantities.ts';
import { stringAt } from '../objects/read.ts';
import {
  type Change,
  inField,
  inItems,
  inOrder,
  orDefault,
  orDefaultPointer,
} from '../objects/change-object.ts';
import { isLatest } from './is-latest.ts';

export const defaultFieldRef: Change = (selector) => orDefault(selector, 'apiVersion', 'v1');

const defaultHttpGet: Change = inOrder(
  (action) => orDefault(action, 'path', '/'),
  (action) => orDefault(action, 'scheme', 'HTTP'),
);

const defaultProbe: Change = inOrder(
  (probe) => orDefault(probe, 'timeoutSeconds', 1),
  (probe) => orDefault(probe, 'periodSeconds', 10),
  (probe) => orDefault(probe, 'successThreshold', 1),
  (probe) => orDefault(probe, 'failureThreshold', 3),
  inField('httpGet', defaultHttpGet),
  inField('grpc', (grpc) => orDefaultPointer(grpc, 'service', '')),
);

const defaultEnv: Change = inField(
  'valueFrom',
  inOrder(
    inField('fieldRef', defaultFieldRef),
    inField('fileKeyRef', (reference) => orDefaultPointer(reference, 'optional', false)),
  ),
);

/** `SetDefaults_Container` and what is below it; also for ephemeral containers. */
export const defaultContainer: Change = inOrder(
  (container) => orDefault(container, 'imagePullPolicy', pullPolicy(container)),
  (container) => orDefault(container, 'terminationMessagePath', '/dev/termination-log'),
  (container) => orDefault(container, 'terminationMessagePolicy', 'File'),
  inItems('ports', (port) => orDefault(port, 'protocol', 'TCP')),
  inItems('env', defaultEnv),
  inField('resources', roundResources),
  inField('livenessProbe', defaultProbe),
  inField('readinessProbe', defaultProbe),
  inField('startupProbe', defaultProbe),
  inField(
    'lifecycle',
    inOrder(
      inField('postStart', inField('httpGet', defaultHttpGet)),
      inField('preStop', inField('httpGet', defaultHttpGet)),
    ),
  ),
);

function pullPolicy(container: JsonObject): string {
  return isLatest(stringAt(container, 'image')) ? 'Always' : 'IfNotPresent';
}

/** `SetDefaults_ResourceList`: amounts finer than a thousandth are rounded up. */
export function roundAmounts(amounts: JsonObject): JsonObject {
  if (!Object.values(amounts).some((amount) => typeof amount === 'string' && /[nu]$/.test(amount)))
    return amounts;
  const rounded: Record<string, Json> = {};
  for (const [name, amount] of Object.entries(amounts)) {
    const fine = typeof amount === 'string' && /[nu]$/.test(amount);
    setOwn(rounded, name, fine ? canonicalQuantity(`${quantityMillis(amount)}m`) : amount);
  }
  return rounded;
}

/** Rounds `limits` and `requests`. */
export function roundResources(resources: JsonObject): JsonObject {
  return inOrder(inField('limits', roundAmounts), inField('requests', roundAmounts))(resources);
}
