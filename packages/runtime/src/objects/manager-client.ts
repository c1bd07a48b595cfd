import type { Client } from '@kubewright/client';

/** What helpers need of a manager: every helper for reconcilers takes the manager first. */
export type ManagerClient = { readonly client: Client };
