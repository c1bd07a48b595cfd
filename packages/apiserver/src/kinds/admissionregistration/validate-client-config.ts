import type { JsonObject } from '@kubewright/kube';
import { fieldErrors, isDns1123Subdomain, isValidPortNumber } from '@kubewright/kube/validation';
import { type Errors, invalid, NONE, required } from '../../validation/errors.ts';
import { maybeNumber, maybeObject, maybeString, stringAt } from '../../objects/read.ts';

const FORM = '; desired format: https://host[/path]';

/** Where a webhook is: at a URL, or behind a Service. */
export function validateClientConfig(config: JsonObject, path: string): Errors {
  const url = maybeString(config, 'url');
  const service = maybeObject(config, 'service');
  if ((url === undefined) === (service === undefined))
    return [fieldErrors.required(path, 'exactly one of url or service is required')];
  if (url !== undefined) return validateUrl(url, `${path}.url`);
  return service === undefined ? NONE : validateService(service, `${path}.service`);
}

function validateUrl(text: string, path: string): Errors {
  const { scheme, host, user, query, fragment } = urlParts(text);
  return [
    ...invalid(scheme !== 'https', path, scheme, `'https' is the only allowed URL scheme${FORM}`),
    ...invalid(host === '', path, host, `host must be specified${FORM}`),
    ...invalid(user !== undefined, path, user ?? '', 'user information is not permitted in the URL'),
    ...invalid(fragment !== '', path, fragment, 'fragments are not permitted in the URL'),
    ...invalid(query !== '', path, query, 'query parameters are not permitted in the URL'),
  ];
}

/** The parts that RFC 3986 gives a reference; JavaScript's URL would reject or normalize what errors must quote. */
function urlParts(text: string): {
  readonly scheme: string;
  readonly host: string;
  readonly user: string | undefined;
  readonly query: string;
  readonly fragment: string;
} {
  const [, scheme = '', authority = '', , query = '', fragment = ''] =
    /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text) ?? [];
  const at = authority.lastIndexOf('@');
  return {
    scheme: scheme.toLowerCase(),
    host: authority.slice(at + 1),
    user: at < 0 ? undefined : authority.slice(0, at),
    query,
    fragment,
  };
}

function validateService(service: JsonObject, path: string): Errors {
  const [name, namespace] = [stringAt(service, 'name'), stringAt(service, 'namespace')];
  const port = maybeNumber(service, 'port') ?? 0;
  const wrong = isValidPortNumber(port);
  return [
    // Upstream mistakes the one for the other, and clients compare its errors.
    ...required(namespace !== '', `${path}.name`),
    ...required(name !== '', `${path}.namespace`),
    ...invalid(wrong.length > 0, `${path}.port`, port, `port is not valid: ${wrong.join(', ')}`),
    ...validatePath(stringAt(service, 'path'), `${path}.path`),
  ];
}

function validatePath(text: string, path: string): Errors {
  if (text === '' || text === '/') return NONE;
  if (text === '//') return [fieldErrors.invalid(path, text, 'segment[0] may not be empty')];
  const steps = text.slice(1).replace(/\/$/, '').split('/');
  return [
    ...invalid(!text.startsWith('/'), path, text, "must start with a '/'"),
    ...steps.flatMap((step, index) => {
      const faults = step === '' ? [' may not be empty'] : isDns1123Subdomain(step).map((why) => `: ${why}`);
      return faults.map((why) => fieldErrors.invalid(path, text, `segment[${index}]${why}`));
    }),
  ];
}
