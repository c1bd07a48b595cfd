import type { JsonObject } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import {
  dnsLabel,
  dnsSubdomain,
  type Errors,
  forbidden,
  inRangeIfSet,
  inside,
  invalidFor,
  NONE,
  nameIsDnsSubdomain,
  oneOf,
  required,
  requiredOneOf,
} from '../validation/errors.ts';
import { validateLabels } from '../validation/validate-labels.ts';
import {
  has,
  isTrue,
  maybeBoolean,
  maybeNumber,
  maybeObject,
  maybeString,
  numberAt,
  objectsAt,
  stringAt,
} from '../objects/read.ts';
import { validateAffinity } from './validate-affinity.ts';
import { type ContainerContext, validateContainers, validateInitContainers } from './validate-containers.ts';
import { visitContainers } from './visit-containers.ts';
import { validateDnsConfig, validateHostAliases } from './validate-dns-config.ts';
import { validateEphemeralContainers } from './validate-ephemeral-containers.ts';
import { validateOs } from './validate-os.ts';
import { validatePodResources } from './validate-pod-resources.ts';
import { validateResourceClaims } from './validate-resource-claims.ts';
import { containerResourceName, validateResources } from './validate-resources.ts';
import { validateGates, validateTolerations, validateTopologySpread } from './validate-tolerations.ts';
import { validatePodSecurityContext } from './validate-security-context.ts';
import { validateFileKeyVolumes } from './validate-volume-mounts.ts';
import { validateVolumes } from './validate-volumes.ts';

/** Of a pod: its name, which ephemeral claims are named after. Empty for templates. */
export type PodSpecOptions = { readonly isPod: boolean; readonly podName: string };

/** `ValidatePodSpec`: a decoded and defaulted spec. Errors come in the server's order. */
export function validatePodSpec(spec: JsonObject, path: string, options: PodSpecOptions): Errors {
  const { volumes, errors } = validateVolumes(spec, `${path}.volumes`, options);
  const claims = objectsAt(spec, 'resourceClaims')
    .map((claim) => stringAt(claim, 'name'))
    .filter((name) => name !== '');
  const context: ContainerContext = {
    volumes,
    claims,
    gracePeriod: maybeNumber(spec, 'terminationGracePeriodSeconds'),
    restartPolicy: stringAt(spec, 'restartPolicy'),
    hostUsers: maybeBoolean(spec, 'hostUsers') !== false,
    os: has(spec, 'os') ? stringAt(maybeObject(spec, 'os') ?? {}, 'name') : undefined,
  };
  return [
    ...required(context.gracePeriod !== undefined, `${path}.terminationGracePeriodSeconds`),
    ...errors,
    ...validateResourceClaims(spec, path),
    ...validateContainers(spec, path, context),
    ...validateInitContainers(spec, path, context),
    ...validateEphemeralContainers(spec, path, context),
    ...validatePodResources(spec, path, claims),
    ...validateHostNetwork(spec, path, options.isPod),
    ...validatePolicies(spec, path),
    ...validatePodFields(spec, path),
    ...validateNames(spec, path),
    ...validateRest(spec, path),
  ];
}

/** On the host's network a host port, where given, is the container's port. */
function validateHostNetwork(spec: JsonObject, path: string, isPod: boolean): Errors {
  if (!isTrue(spec, 'hostNetwork')) return NONE;
  return objectsAt(spec, 'containers').flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap((port, position) => {
      const [host, own] = [numberAt(port, 'hostPort'), numberAt(port, 'containerPort')];
      if (host === own || (!isPod && host === 0)) return NONE;
      const at = `${path}.containers[${index}].ports[${position}].hostPort`;
      return [fieldErrors.invalid(at, host, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}

function validatePolicies(spec: JsonObject, path: string): Errors {
  return [
    ...requiredOneOf(stringAt(spec, 'restartPolicy'), `${path}.restartPolicy`, [
      'Always',
      'OnFailure',
      'Never',
    ]),
    ...requiredOneOf(stringAt(spec, 'dnsPolicy'), `${path}.dnsPolicy`, [
      'ClusterFirstWithHostNet',
      'ClusterFirst',
      'Default',
      'None',
    ]),
  ];
}

function validatePodFields(spec: JsonObject, path: string): Errors {
  return [
    ...validateLabels(spec, 'nodeSelector', `${path}.nodeSelector`),
    ...validatePodSecurityContext(spec, path),
    ...validateAffinity(spec, path),
    ...validateDnsConfig(spec, path),
    ...validateGates(spec, path),
    ...validateTopologySpread(spec, path),
    ...validateHostUsers(spec, path),
    ...validateHostnameOverride(spec, path),
  ];
}

/** A pod in a user name space of its own shares no other name space with its host. */
function validateHostUsers(spec: JsonObject, path: string): Errors {
  if (maybeBoolean(spec, 'hostUsers') !== false) return NONE;
  const detail = 'when `hostUsers` is false';
  return [
    ...forbidden(isTrue(spec, 'hostNetwork'), `${path}.hostNetwork`, detail),
    ...forbidden(isTrue(spec, 'hostPID'), `${path}.HostPID`, detail),
    ...forbidden(isTrue(spec, 'hostIPC'), `${path}.HostIPC`, detail),
    ...visitContainers(spec, path, (container, at) =>
      forbidden(objectsAt(container, 'volumeDevices').length > 0, `${at}.volumeDevices`, detail),
    ),
  ];
}

function validateHostnameOverride(spec: JsonObject, path: string): Errors {
  const name = maybeString(spec, 'hostnameOverride');
  const at = `${path}.hostnameOverride`;
  if (name === undefined) return NONE;
  return [
    ...forbidden(
      isTrue(spec, 'setHostnameAsFQDN'),
      at,
      'may not be specified when setHostnameAsFQDN is true',
    ),
    ...forbidden(isTrue(spec, 'hostNetwork'), at, 'may not be specified when hostNetwork is true'),
    ...(name.length > 64 ? [fieldErrors.tooLong(at, 64)] : NONE),
    ...dnsSubdomain(name, at),
  ];
}

function validateNames(spec: JsonObject, path: string): Errors {
  const name = (key: string): Errors => {
    const value = stringAt(spec, key);
    return value === '' ? NONE : invalidFor(`${path}.${key}`, value, nameIsDnsSubdomain(value, false));
  };
  const label = (key: string): Errors => {
    const value = stringAt(spec, key);
    return value === '' ? NONE : dnsLabel(value, `${path}.${key}`);
  };
  return [
    ...name('serviceAccountName'),
    ...name('nodeName'),
    ...inRangeIfSet(spec, 'activeDeadlineSeconds', path, [1, 2_147_483_647]),
    ...label('hostname'),
    ...label('subdomain'),
    ...validateTolerations(objectsAt(spec, 'tolerations'), `${path}.tolerations`),
    ...validateHostAliases(spec, path),
    ...name('priorityClassName'),
  ];
}

function validateRest(spec: JsonObject, path: string): Errors {
  const runtimeClass = maybeString(spec, 'runtimeClassName');
  const preemption = maybeString(spec, 'preemptionPolicy');
  return [
    ...(runtimeClass === undefined ? NONE : validateRuntimeClass(runtimeClass, `${path}.runtimeClassName`)),
    ...(preemption === undefined ? NONE : validatePreemption(preemption, `${path}.preemptionPolicy`)),
    ...inside(maybeObject(spec, 'overhead'), (overhead) =>
      validateResources({ limits: overhead }, [], `${path}.overhead`, containerResourceName),
    ),
    ...validateOs(spec, path),
    ...visitContainers(spec, path, (container, at) => validateFileKeyVolumes(spec, container, at)),
  ];
}

function validateRuntimeClass(name: string, path: string): Errors {
  return invalidFor(path, name, nameIsDnsSubdomain(name, false));
}

function validatePreemption(policy: string, path: string): Errors {
  if (policy === '') return required(false, path);
  return oneOf(policy, path, ['PreemptLowerPriority', 'Never']);
}
