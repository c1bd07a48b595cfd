import type { Client } from '../client/client.ts';
import { mapOptions } from './map-options.ts';

/** Every write is a dry run, whatever its options. */
export function withDryRun(client: Client): Client {
  return mapOptions(client, {
    write: (options) => ({ ...options, dryRun: true }),
    remove: (options) => ({ ...options, dryRun: true }),
  });
}
