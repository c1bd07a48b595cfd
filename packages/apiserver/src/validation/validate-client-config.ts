import type { admissionregistrationv1 } from '@kubewright/kube';
import { isDns1123Subdomain, isValidPortNumber } from '@kubewright/kube/validation';
import type { Field } from './field.ts';

const FORM = '; desired format: https://host[/path]';

/** Where a webhook is: at a URL, or behind a Service. */
export function validateClientConfig(config: Field<admissionregistrationv1.WebhookClientConfig>): void {
  const [url, service] = [config.maybeText('url'), config.maybeAt('service')];
  if ((url === undefined) === (service === undefined))
    config.addRequired('exactly one of url or service is required');
  else if (service === undefined) validateUrl(config.at('url'));
  else validateService(service);
}

function validateUrl(url: Field<string>): void {
  const { scheme, host, user, query, fragment } = urlParts(url.asText);
  const invalid = (value: string, detail: string): void => url.addInvalid(detail, { value });
  if (scheme !== 'https') invalid(scheme, `'https' is the only allowed URL scheme${FORM}`);
  if (host === '') invalid(host, `host must be specified${FORM}`);
  if (user !== undefined) invalid(user, 'user information is not permitted in the URL');
  if (fragment !== '') invalid(fragment, 'fragments are not permitted in the URL');
  if (query !== '') invalid(query, 'query parameters are not permitted in the URL');
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

function validateService(service: Field<admissionregistrationv1.ServiceReference>): void {
  const value = service.number('port');
  const wrong = isValidPortNumber(value);
  // Upstream mistakes the one for the other, and clients compare its errors.
  if (service.text('namespace') === '') service.at('name').addRequired();
  if (service.text('name') === '') service.at('namespace').addRequired();
  if (wrong.length > 0) service.at('port').addInvalid(`port is not valid: ${wrong.join(', ')}`, { value });
  service.matches('path', pathFaults);
}

function pathFaults(path: string): readonly string[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return ['segment[0] may not be empty'];
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  const faults = steps.flatMap((step, index) => {
    const found = step === '' ? [' may not be empty'] : isDns1123Subdomain(step).map((why) => `: ${why}`);
    return found.map((why) => `segment[${index}]${why}`);
  });
  return path.startsWith('/') ? faults : ["must start with a '/'", ...faults];
}
