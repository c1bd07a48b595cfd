import type { Client } from '../client/client.ts';
import { mapOptions } from './map-options.ts';

/** Writes as field manager `name`, unless the call names another. */
export function withFieldOwner(client: Client, name: string): Client {
  return mapOptions(client, { write: (options) => ({ fieldManager: name, ...options }) });
}
