import type { Client } from '../client/client.ts';
import { mapOptions } from './map-options.ts';

/** Every write is checked and answered by the server, and none is kept, whatever the call says. */
export function withDryRun(client: Client): Client {
  return mapOptions(client, {
    write: (options) => ({ ...options, dryRun: true }),
    remove: (options) => ({ ...options, dryRun: true }),
  });
}
