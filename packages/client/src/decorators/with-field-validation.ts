import type { Client, FieldValidation } from '../client/client.ts';
import { mapOptions } from './map-options.ts';

/** The field validation of writes that name none. */
export function withFieldValidation(client: Client, validation: FieldValidation): Client {
  return mapOptions(client, { write: (options) => ({ fieldValidation: validation, ...options }) });
}
