import type { JsonObject } from '@kubewright/kube';
import type { FieldError } from '@kubewright/kube/validation';
import { fieldErrors, isValidPortName, isValidPortNumber } from '@kubewright/kube/validation';
import {
  dnsLabel,
  type Errors,
  each,
  forbidden,
  invalidFor,
  NONE,
  required,
  requiredOneOf,
} from '../validation/errors.ts';
import { has, numberAt, objectsAt, stringAt } from '../objects/read.ts';
import { validateEnv, validateEnvFrom } from './validate-env.ts';
import {
  type HandlerContext,
  validateLifecycle,
  validateLivenessProbe,
  validateReadinessProbe,
  validateStartupProbe,
} from './validate-lifecycle.ts';
import { validateResizePolicies, validateRestartRules } from './validate-restart-rules.ts';
import { validateContainerResources } from './validate-resources.ts';
import { validateSecurityContext } from './validate-security-context.ts';
import { type Volumes, validateVolumeDevices, validateVolumeMounts } from './validate-volume-mounts.ts';

/** What containers refer to in their pod. */
export type ContainerContext = HandlerContext & {
  readonly volumes: Volumes;
  readonly claims: readonly string[];
  readonly restartPolicy: string;
  readonly hostUsers: boolean;
};

/** `spec.containers`. */
export function validateContainers(spec: JsonObject, path: string, context: ContainerContext): Errors {
  const containers = objectsAt(spec, 'containers');
  const list = `${path}.containers`;
  if (containers.length === 0) return required(false, list);
  const names = new Set<string>();
  return [
    ...each(containers, list, (container, at) => {
      const name = stringAt(container, 'name');
      const again = names.has(name) ? [fieldErrors.duplicate(`${at}.name`, name)] : NONE;
      names.add(name);
      return [
        ...validateContainer(container, at, context),
        ...again,
        ...validateHooksAndProbes(container, at, context),
        ...validateRestartRules(container, at),
      ];
    }),
    ...validateHostPorts(containers, list),
  ];
}

function validateHooksAndProbes(container: JsonObject, path: string, context: HandlerContext): Errors {
  return [
    ...validateLifecycle(container, path, context),
    ...validateLivenessProbe(container, path, context),
    ...validateReadinessProbe(container, path, context),
    ...validateStartupProbe(container, path, context),
  ];
}

const ONLY_SIDECARS = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];

/** `spec.initContainers`; those with `restartPolicy: Always` are sidecars and live like containers. */
export function validateInitContainers(spec: JsonObject, path: string, context: ContainerContext): Errors {
  const list = `${path}.initContainers`;
  const names = new Set(objectsAt(spec, 'containers').map((container) => stringAt(container, 'name')));
  return each(objectsAt(spec, 'initContainers'), list, (container, at) => {
    const name = stringAt(container, 'name');
    const again = names.has(name) ? [fieldErrors.duplicate(`${at}.name`, name)] : NONE;
    if (name !== '') names.add(name);
    const sidecar = stringAt(container, 'restartPolicy') === 'Always';
    const detail = 'may not be set for init containers without restartPolicy=Always';
    return [
      ...validateContainer(container, at, context),
      ...validateRestartRules(container, at),
      ...again,
      ...validateHostPorts([container], list),
      ...(sidecar
        ? validateHooksAndProbes(container, at, context)
        : ONLY_SIDECARS.flatMap((key) => forbidden(has(container, key), `${at}.${key}`, detail))),
      ...(sidecar ? NONE : validateInitResize(container, at)),
    ];
  });
}

function validateInitResize(container: JsonObject, path: string): Errors {
  return each(objectsAt(container, 'resizePolicy'), `${path}.resizePolicy`, (policy, at) => {
    const action = stringAt(policy, 'restartPolicy');
    if (action !== 'RestartContainer') return NONE;
    const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    return [fieldErrors.invalid(`${at}.restartPolicy`, action, detail)];
  });
}

/** What every container has. */
export function validateContainer(container: JsonObject, path: string, context: ContainerContext): Errors {
  const name = stringAt(container, 'name');
  const messagePolicy = stringAt(container, 'terminationMessagePolicy');
  return [
    ...(name === '' ? required(false, `${path}.name`) : dnsLabel(name, `${path}.name`)),
    ...required(stringAt(container, 'image') !== '', `${path}.image`),
    ...requiredOneOf(messagePolicy, `${path}.terminationMessagePolicy`, ['File', 'FallbackToLogsOnError']),
    ...validatePorts(container, `${path}.ports`),
    ...validateEnv(container, path),
    ...validateEnvFrom(container, path),
    ...validateVolumeMounts(container, context.volumes, path),
    ...validateVolumeDevices(container, context.volumes, path),
    ...requiredOneOf(stringAt(container, 'imagePullPolicy'), `${path}.imagePullPolicy`, [
      'Always',
      'IfNotPresent',
      'Never',
    ]),
    ...validateContainerResources(container, context.claims, `${path}.resources`),
    ...validateResizePolicies(container, `${path}.resizePolicy`, context.restartPolicy),
    ...validateSecurityContext(container, path, context.hostUsers),
  ];
}

function validatePorts(container: JsonObject, path: string): Errors {
  const names = new Set<string>();
  return each(objectsAt(container, 'ports'), path, (port, at) => {
    const [number, host] = [numberAt(port, 'containerPort'), numberAt(port, 'hostPort')];
    return [
      ...validatePortName(stringAt(port, 'name'), names, `${at}.name`),
      ...(number === 0
        ? required(false, `${at}.containerPort`)
        : invalidFor(`${at}.containerPort`, number, isValidPortNumber(number))),
      ...(host === 0 ? NONE : invalidFor(`${at}.hostPort`, host, isValidPortNumber(host))),
      ...requiredOneOf(stringAt(port, 'protocol'), `${at}.protocol`, ['SCTP', 'TCP', 'UDP']),
    ];
  });
}

function validatePortName(name: string, names: Set<string>, path: string): Errors {
  if (name === '') return NONE;
  const messages = isValidPortName(name);
  if (messages.length > 0) return invalidFor(path, name, messages);
  if (names.has(name)) return [fieldErrors.duplicate(path, name)];
  names.add(name);
  return NONE;
}

/** A host port, with its protocol and address, is taken once. */
function validateHostPorts(containers: readonly JsonObject[], path: string): Errors {
  const taken = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, container] of containers.entries()) {
    for (const [position, port] of objectsAt(container, 'ports').entries()) {
      const number = numberAt(port, 'hostPort');
      if (number === 0) continue;
      const key = `${stringAt(port, 'protocol')}/${stringAt(port, 'hostIP')}/${number}`;
      if (taken.has(key))
        errors.push(fieldErrors.duplicate(`${path}[${index}].ports[${position}].hostPort`, key));
      taken.add(key);
    }
  }
  return errors;
}
