import { describe } from 'vitest';
import { findKubectl } from '../../tools/assets/find.mjs';
import { describeServers } from '../servers/describe-servers.ts';
import type { TestServer } from '../servers/test-server.ts';
import { kubectlExplainContract } from './kubectl-explain.contract.ts';

if (findKubectl() === undefined) {
  const needs = "[needs kubectl: Debian's kubernetes-client, or npm run assets]";
  describe.skip(`kubectl explain ${needs}`, () => kubectlExplainContract(() => ({}) as TestServer));
} else {
  describeServers('kubectl explain', kubectlExplainContract);
}
