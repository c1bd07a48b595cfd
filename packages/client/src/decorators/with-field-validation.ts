import type { Client, FieldValidation } from '../client/client.ts';
import { mapOptions } from './map-options.ts';

/** What happens to fields that the schema does not know, unless a call says otherwise. */
export function withFieldValidation(client: Client, validation: FieldValidation): Client {
  return mapOptions(client, { write: (options) => ({ fieldValidation: validation, ...options }) });
}
