import { isIP } from 'node:net';
import { type Errors, invalid } from './errors.ts';

/** `ValidateEndpointIP`: no address that means the machine itself, its link, or nothing. */
export function endpointIp(address: string, at: string): Errors {
  if (isIP(address) === 0) return invalid(true, at, address, 'must be a valid IP address');
  const bad = (test: RegExp, detail: string): Errors => invalid(test.test(address), at, address, detail);
  return [
    ...bad(/^(0\.0\.0\.0|::)$/, 'may not be unspecified (0.0.0.0 or ::)'),
    ...bad(/^(127\.|::1$)/, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'),
    ...bad(/^(169\.254\.|fe[89ab])/i, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'),
    ...bad(/^(224\.0\.0\.|ff02:)/i, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'),
  ];
}
