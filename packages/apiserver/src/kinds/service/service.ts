import { type corev1, getOwn, jsonEqual, type JsonObject, type KubeObject } from '@kubewright/kube';
import type { Strategy, StrategyContext } from '../../model/resource-definition.ts';
import { type Errors, nameIsDnsLabel } from '../../validation/errors.ts';
import { objectErrors, specErrors, specField } from '../../validation/spec-errors.ts';
import { ipWarnings } from '../../validation/ip-warnings.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { itemsAt, numberAt, objectsAt, specOf, stringAt, valueAt } from '../../objects/read.ts';
import { clearStatus, keepOld, statusStrategy, STATUS_RESET } from '../../model/status-strategy.ts';
import {
  type Change,
  changeObject,
  inItems,
  inOrder,
  orDefault,
  withField,
} from '../../objects/change-object.ts';
import { allocate, syncClusterIps } from './allocate.ts';
import {
  defaultService,
  isExternallyAccessible,
  needsClusterIp,
  needsHealthCheck,
  needsNodePort,
} from './default-service.ts';
import { nameOf } from '../../objects/name-of.ts';
import { validateAllocation } from './validate-allocation.ts';
import { validateService } from './validate-service.ts';
import { validateServiceChange } from './validate-service-change.ts';

type Spec = corev1.ServiceSpec;

const RULES = { namespaced: true, name: nameIsDnsLabel };

/** `v1 Service`. Addresses and ports are given out on write, as long as the objects themselves hold them. */
export const service: Strategy = {
  default: defaultService,
  prepareForCreate: (object, context) =>
    changeSpec(clearStatus({ loadBalancer: {} })(object), allocate(context, nameOf(object))),
  prepareForUpdate,
  validateCreate: (object, context) =>
    orAllocation(object, context, () => [
      ...validateObjectMeta(object, RULES),
      ...objectErrors(validateService, object),
    ]),
  validateUpdate: (object, old, context) =>
    orAllocation(object, context, () => [
      ...validateObjectMetaUpdate(object, old),
      ...specErrors<Spec>((spec) => validateServiceChange(spec, specField(old)), object),
      ...objectErrors(validateService, object, old),
    ]),
  warnings: serviceWarnings,
  resetFields: STATUS_RESET,
};

export const serviceStatus: Strategy = statusStrategy((object, old) => validateObjectMetaUpdate(object, old));

/** Errors of allocation come alone, before anything else is validated. */
function orAllocation(object: KubeObject, context: StrategyContext, others: () => Errors): Errors {
  const errors = specErrors<Spec>((spec) => validateAllocation(spec, object, context), object);
  return errors.length > 0 ? errors : others();
}

function changeSpec(object: KubeObject, change: Change): KubeObject {
  return changeObject(object, (body) => withField(body, 'spec', change(specOf(object))));
}

function prepareForUpdate(object: KubeObject, old: KubeObject, context: StrategyContext): KubeObject {
  const before = specOf(old);
  const change = inOrder(
    (spec) => keepAllocated(spec, before),
    syncClusterIps,
    (spec) => dropByType(spec, before),
    allocate(context, nameOf(object)),
  );
  return changeSpec(keepOld(object, old, 'status'), change);
}

/** A client that leaves an allocated value out means the one that is there. */
function keepAllocated(spec: JsonObject, old: JsonObject): JsonObject {
  const keeps: Change[] = [];
  if (needsClusterIp(old) && needsClusterIp(spec)) keeps.push(keepAddresses(old));
  if (needsNodePort(old) && needsNodePort(spec)) keeps.push(keepNodePorts(old));
  if (needsHealthCheck(old) && needsHealthCheck(spec) && numberAt(spec, 'healthCheckNodePort') === 0) {
    keeps.push(copy(old, 'healthCheckNodePort'));
  }
  return inOrder(...keeps)(spec);
}

function keepAddresses(old: JsonObject): Change {
  return (spec) => {
    const own = stringAt(spec, 'clusterIP');
    if (itemsAt(spec, 'clusterIPs').length > 0 || (own !== '' && own !== stringAt(old, 'clusterIP')))
      return spec;
    return inOrder(copy(old, 'clusterIP'), copy(old, 'clusterIPs'))(spec);
  };
}

function copy(old: JsonObject, key: string): Change {
  return (spec) => withField(spec, key, getOwn(old, key));
}

/** A port without a node port gets that of the old port of the same number and protocol, unless it is taken. */
function keepNodePorts(old: JsonObject): Change {
  return (spec) => {
    const used = new Set(objectsAt(spec, 'ports').map((port) => numberAt(port, 'nodePort')));
    return inItems('ports', (port) => {
      const same = objectsAt(old, 'ports').find(
        (other) =>
          stringAt(other, 'protocol') === stringAt(port, 'protocol') &&
          numberAt(other, 'port') === numberAt(port, 'port'),
      );
      const number = same === undefined ? 0 : numberAt(same, 'nodePort');
      if (number === 0 || numberAt(port, 'nodePort') !== 0 || used.has(number)) return port;
      used.add(number);
      return orDefault(port, 'nodePort', number);
    })(spec);
  };
}

/** A change of type takes with it what the new type cannot have, where the client has not touched it. */
function dropByType(spec: JsonObject, old: JsonObject): JsonObject {
  const same = (key: string): boolean => jsonEqual(valueAt(spec, key), valueAt(old, key));
  const drop = (...keys: readonly string[]): Change =>
    inOrder(...keys.filter(same).map((key) => without(key)));
  const left = (test: (value: JsonObject) => boolean): boolean => test(old) && !test(spec);
  const isBalancer = (value: JsonObject): boolean => stringAt(value, 'type') === 'LoadBalancer';
  return inOrder(
    left(needsClusterIp) ? drop('clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy') : drop(),
    left(needsNodePort) && onlyOldNodePorts(spec, old) ? dropNodePorts : drop(),
    left(needsHealthCheck) ? drop('healthCheckNodePort') : drop(),
    left(isBalancer) ? drop('allocateLoadBalancerNodePorts', 'loadBalancerClass') : drop(),
    left(isExternallyAccessible) ? drop('externalTrafficPolicy') : drop(),
  )(spec);
}

function onlyOldNodePorts(spec: JsonObject, old: JsonObject): boolean {
  const before = new Set(objectsAt(old, 'ports').map((port) => numberAt(port, 'nodePort')));
  return objectsAt(spec, 'ports').every(
    (port) => numberAt(port, 'nodePort') === 0 || before.has(numberAt(port, 'nodePort')),
  );
}

const without =
  (key: string): Change =>
  (object) =>
    withField(object, key, undefined);

const dropNodePorts: Change = inItems('ports', without('nodePort'));

function serviceWarnings(object: KubeObject): readonly string[] {
  const spec = specField<Spec>(object);
  const headless = spec.texts('clusterIPs')[0] === 'None';
  const addresses = [spec.at('loadBalancerIP'), ...spec.items('externalIPs')];
  const [balancer = [], ...externals] = addresses.map((address) =>
    address.asText === '' ? [] : ipWarnings(address.asText, address.path),
  );
  return [
    ...balancer,
    ...(headless && !spec.is('sessionAffinity', 'None')
      ? ['spec.SessionAffinity is ignored for headless services']
      : []),
    ...externals.flat(),
  ];
}
