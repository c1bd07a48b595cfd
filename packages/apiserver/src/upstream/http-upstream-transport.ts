import { lookup } from 'node:dns/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import type { KeyPair } from '../certificates/authority.ts';
import { forwardRequest } from './forward-request.ts';
import type { UpstreamCall, UpstreamTransport } from './upstream-transport.ts';

/** How kubelets are spoken to. PEM texts. */
export type KubeletTls = {
  /** The client certificate for kubelets; undefined: this server is anonymous to them. */
  readonly credentials: () => Promise<KeyPair | undefined>;
  /** The authority of kubelets' certificates (`--kubelet-certificate-authority`). Absent: they are not verified. */
  readonly certificateAuthority?: string | undefined;
};

/** HTTP/1.1 and HTTPS on connections that are kept. */
export function httpUpstreamTransport(kubelets: KubeletTls): UpstreamTransport {
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  return {
    async call(call) {
      if (call.scheme === 'http') return await forwardRequest(agents.http, call);
      return await forwardRequest(agents.https, call, await tlsFor(kubelets, call));
    },
    async addressesOf(host) {
      return (await lookup(host, { all: true })).map(({ address }) => address);
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** Certificates of other servers cannot be verified. */
async function tlsFor(
  { credentials, certificateAuthority }: KubeletTls,
  { kubeletOf, insecure, address: { host } }: UpstreamCall,
): Promise<RequestOptions> {
  const name = isIP(host) === 0 ? { servername: host } : {};
  if (kubeletOf === undefined) return { ...name, rejectUnauthorized: false };
  const verified = certificateAuthority !== undefined && insecure !== true;
  const how = verified
    ? { rejectUnauthorized: true, ca: certificateAuthority }
    : { rejectUnauthorized: false };
  return { ...name, ...how, ...(await credentials()) };
}
