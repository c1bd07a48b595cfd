import { beforeAll } from 'vitest';
import { NAMESPACE, type Server, send } from './aggregation-calls.ts';
import { apiServicesContract } from './api-services.contract.ts';
import { extensionServerContract } from './extension-server.contract.ts';

/** APIServices: those of the server itself, and those that others answer for. */
export function aggregationContract(server: Server): void {
  beforeAll(async () => {
    await send(server(), 'POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  });
  apiServicesContract(server);
  extensionServerContract(server);
}
