import { Agent } from 'node:https';
import { forwardRequest } from '../upstream/forward-request.ts';
import { trusting } from '../upstream/trusting.ts';
import type { ExtensionTransport } from './extension-transport.ts';

/** HTTPS on connections that are kept. */
export function httpsExtensionTransport(): ExtensionTransport {
  let agent = new Agent({ keepAlive: true });
  return {
    call(call) {
      const { headers, address, caBundle, credentials, insecure, serverName } = call;
      const host = `${address.host}:${address.port}`;
      return forwardRequest(
        agent,
        { ...call, headers: { ...headers, host } },
        {
          servername: serverName,
          rejectUnauthorized: !insecure,
          ...credentials,
          ...trusting(caBundle),
        },
      );
    },
    close() {
      agent.destroy();
      agent = new Agent({ keepAlive: true });
    },
  };
}
