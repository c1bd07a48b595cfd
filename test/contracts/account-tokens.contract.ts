import { beforeAll } from 'vitest';
import { NAMESPACE, post, type Server } from './account-token-calls.ts';
import { accountTokenUseContract } from './account-token-use.contract.ts';
import { tokenRequestsContract } from './token-requests.contract.ts';

/** TokenRequests, and what their tokens are good for. */
export function accountTokensContract(server: Server): void {
  beforeAll(async () => {
    await post(server(), '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  });
  tokenRequestsContract(server);
  accountTokenUseContract(server);
}
