import type { JsonObject } from '@kubewright/kube';
import { isDns1123Subdomain } from '@kubewright/kube/validation';
import { type Errors, inside, invalid, invalidFor, NONE } from '../validation/errors.ts';
import { byteLength } from '../validation/validate-labels.ts';
import { maybeObject, maybeString } from '../objects/read.ts';

/** `securityContext.windowsOptions` of a pod or container. */
export function validateWindowsOptions(context: JsonObject, path: string): Errors {
  const at = `${path}.windowsOptions`;
  return inside(maybeObject(context, 'windowsOptions'), (options) => {
    const name = maybeString(options, 'gmsaCredentialSpecName');
    const user = maybeString(options, 'runAsUserName');
    return [
      ...(name === undefined
        ? NONE
        : invalidFor(`${at}.gmsaCredentialSpecName`, name, isDns1123Subdomain(name))),
      ...validateCredentialSpec(maybeString(options, 'gmsaCredentialSpec'), `${at}.gmsaCredentialSpec`),
      ...(user === undefined ? NONE : invalidFor(`${at}.runAsUserName`, user, userProblems(user))),
    ];
  });
}

function validateCredentialSpec(spec: string | undefined, path: string): Errors {
  if (spec === undefined) return NONE;
  if (spec === '') return invalidFor(path, spec, ['gmsaCredentialSpec cannot be an empty string']);
  return invalid(byteLength(spec) > 64 * 1024, path, spec, 'gmsaCredentialSpec size must be under 64 KiB');
}

const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const DNS_DOMAIN = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);

/** Domain and user of `DOMAIN\user`, by the limits of Windows. */
function userProblems(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (/\p{Cc}/u.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const domain = parts.length === 2 ? (parts[0] ?? '') : undefined;
  return [...domainProblems(domain), ...accountProblems(parts.at(-1) ?? '')];
}

function domainProblems(domain: string | undefined): readonly string[] {
  if (domain === undefined) return [];
  const problems: string[] = [];
  if (byteLength(domain) >= 256) problems.push("runAsUserName's Domain length must be under 256 characters");
  if (!NETBIOS.test(domain) && !DNS_DOMAIN.test(domain)) {
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  return problems;
}

function accountProblems(user: string): readonly string[] {
  const problems: string[] = [];
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  if (byteLength(user) > 104) {
    problems.push("runAsUserName's User length must not be longer than 104 characters");
  }
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    problems.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  }
  return problems;
}
