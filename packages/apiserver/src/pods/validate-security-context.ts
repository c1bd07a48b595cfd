import type { JsonObject } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import {
  type Errors,
  each,
  inside,
  invalid,
  invalidFor,
  NONE,
  oneOf,
  required,
} from '../validation/errors.ts';
import { localDescendingPath, userId } from '../validation/formats.ts';
import {
  isTrue,
  itemsAt,
  maybeBoolean,
  maybeNumber,
  maybeObject,
  maybeString,
  objectAt,
  objectsAt,
  stringAt,
  stringsAt,
} from '../objects/read.ts';
import { showing } from '../validation/shown-as.ts';
import { validateWindowsOptions } from './validate-windows-options.ts';

/** `spec.securityContext` of a pod. */
export function validatePodSecurityContext(spec: JsonObject, path: string): Errors {
  const at = `${path}.securityContext`;
  return inside(maybeObject(spec, 'securityContext'), (context) => [
    ...validateId(context, 'fsGroup', at),
    ...validateId(context, 'runAsUser', at),
    ...validateId(context, 'runAsGroup', at),
    ...each(itemsAt(context, 'supplementalGroups'), `${at}.supplementalGroups`, (id, where) =>
      invalidFor(where, id, userId(Number(id))),
    ),
    ...invalid(
      isTrue(spec, 'shareProcessNamespace') && isTrue(spec, 'hostPID'),
      `${at}.shareProcessNamespace`,
      true,
      'ShareProcessNamespace and HostPID cannot both be enabled',
    ),
    ...validateSysctls(spec, context, `${at}.sysctls`),
    ...validatePolicy(context, 'fsGroupChangePolicy', ['Always', 'OnRootMismatch'], at),
    ...validateSeccompProfile(context, at),
    ...validateWindowsOptions(context, at),
    ...validateAppArmorProfile(context, at),
    ...validatePolicy(context, 'supplementalGroupsPolicy', ['Merge', 'Strict'], at),
    ...validatePolicy(context, 'seLinuxChangePolicy', ['Recursive'], at),
  ]);
}

/** `securityContext` of a container. */
export function validateSecurityContext(container: JsonObject, path: string, hostUsers: boolean): Errors {
  const at = `${path}.securityContext`;
  return inside(maybeObject(container, 'securityContext'), (context) => [
    ...validateId(context, 'runAsUser', at),
    ...validateId(context, 'runAsGroup', at),
    ...validatePolicy(context, 'procMount', ['Default', 'Unmasked'], at),
    ...invalid(
      hostUsers && stringAt(context, 'procMount') === 'Unmasked',
      `${at}.procMount`,
      'Unmasked',
      '`hostUsers` must be false to use `Unmasked`',
    ),
    ...validateSeccompProfile(context, at),
    ...validateEscalation(context, at),
    ...validateWindowsOptions(context, at),
    ...validateAppArmorProfile(context, at),
  ]);
}

function validateId(context: JsonObject, key: string, path: string): Errors {
  const id = maybeNumber(context, key);
  return id === undefined ? NONE : invalidFor(`${path}.${key}`, id, userId(id));
}

function validatePolicy(
  context: JsonObject,
  key: string,
  supported: readonly string[],
  path: string,
): Errors {
  const policy = maybeString(context, key);
  return policy === undefined ? NONE : oneOf(policy, `${path}.${key}`, supported);
}

function validateEscalation(context: JsonObject, path: string): Errors {
  if (maybeBoolean(context, 'allowPrivilegeEscalation') !== false) return NONE;
  const admin = stringsAt(objectAt(context, 'capabilities'), 'add').filter(
    (name) => name === 'CAP_SYS_ADMIN',
  );
  return showing('core.SecurityContext', [
    ...invalid(
      isTrue(context, 'privileged'),
      path,
      context,
      'cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
    ),
    ...admin.map(() =>
      fieldErrors.invalid(
        path,
        context,
        'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN',
      ),
    ),
  ]);
}

const SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SYSCTL = `^(${SEGMENT}[\\./])*${SEGMENT}$`;
const SYSCTL_PATTERN = new RegExp(SYSCTL);

function validateSysctls(spec: JsonObject, context: JsonObject, path: string): Errors {
  const names = new Set<string>();
  return each(objectsAt(context, 'sysctls'), path, (sysctl, where) => {
    const at = `${where}.name`;
    const name = stringAt(sysctl, 'name');
    const errors = [...validateSysctlName(name, names, at), ...validateHostSysctl(spec, name, at)];
    names.add(name);
    return errors;
  });
}

function validateSysctlName(name: string, names: ReadonlySet<string>, path: string): Errors {
  if (name === '') return required(false, path);
  if (name.length > 253 || !SYSCTL_PATTERN.test(name)) {
    return invalidFor(path, name, [`must have at most 253 characters and match regex ${SYSCTL}`]);
  }
  return names.has(name) ? [fieldErrors.duplicate(path, name)] : NONE;
}

/** A sysctl of a name space that the pod shares with its host would change the host. */
function validateHostSysctl(spec: JsonObject, name: string, path: string): Errors {
  const dotted = name.replaceAll('/', '.');
  const ipc = /^(kernel\.(shm|msg)|fs\.mqueue\.)/.test(dotted) || dotted === 'kernel.sem';
  const net = dotted.startsWith('net.');
  if (isTrue(spec, 'hostNetwork') && net) {
    return invalidFor(path, name, ["may not be specified when 'hostNetwork' is true"]);
  }
  return invalid(isTrue(spec, 'hostIPC') && ipc, path, name, "may not be specified when 'hostIPC' is true");
}

const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function validateSeccompProfile(context: JsonObject, path: string): Errors {
  const at = `${path}.seccompProfile`;
  return inside(maybeObject(context, 'seccompProfile'), (profile) => {
    const type = stringAt(profile, 'type');
    return [
      ...(type === ''
        ? required(false, `${at}.type`, 'type is required when seccompProfile is set')
        : oneOf(type, `${at}.type`, PROFILE_TYPES)),
      ...validateSeccompFile(profile, `${at}.localhostProfile`),
    ];
  });
}

function validateSeccompFile(profile: JsonObject, path: string): Errors {
  const file = maybeString(profile, 'localhostProfile');
  if (stringAt(profile, 'type') !== 'Localhost') {
    return showing(
      'core.SeccompProfile',
      invalid(file !== undefined, path, profile, 'can only be set when seccomp type is Localhost'),
    );
  }
  if (file === undefined) return required(false, path, 'must be set when seccomp type is Localhost');
  return localDescendingPath(file, path);
}

function validateAppArmorProfile(context: JsonObject, path: string): Errors {
  const at = `${path}.appArmorProfile`;
  return inside(maybeObject(context, 'appArmorProfile'), (profile) => {
    const type = stringAt(profile, 'type');
    const file = maybeString(profile, 'localhostProfile');
    if (type === '') return required(false, `${at}.type`, 'type is required when appArmorProfile is set');
    if (!PROFILE_TYPES.includes(type)) return oneOf(type, `${at}.type`, PROFILE_TYPES);
    if (type === 'Localhost') return validateAppArmorFile(file, `${at}.localhostProfile`);
    const detail = 'can only be set when AppArmor type is Localhost';
    return invalid(file !== undefined, `${at}.localhostProfile`, file ?? null, detail);
  });
}

function validateAppArmorFile(file: string | undefined, path: string): Errors {
  const missing = 'must be set when AppArmor type is Localhost';
  if (file === undefined) return required(false, path, missing);
  const padded = file.trim() !== file;
  return [
    ...invalid(padded, path, file, 'must not be padded with whitespace'),
    ...required(padded || file !== '', path, missing),
    ...(file.length > 4095 ? [fieldErrors.tooLong(path, 4095)] : NONE),
  ];
}
