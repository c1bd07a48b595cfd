import { describe } from 'vitest';
import { findKubectl } from '../../tools/assets/find.mjs';
import { describeServers } from '../servers/describe-servers.ts';
import type { TestServer } from '../servers/test-server.ts';
import { canIContract } from './can-i.contract.ts';
import { kubectlUsersContract } from './kubectl-users.contract.ts';

const SUITES = [
  ['kubectl auth can-i', canIContract],
  ['users of kubectl', kubectlUsersContract],
] as const;

for (const [title, contract] of SUITES) {
  if (findKubectl() === undefined) {
    const needs = "[needs kubectl: Debian's kubernetes-client, or npm run assets]";
    describe.skip(`${title} ${needs}`, () => contract(() => ({}) as TestServer));
  } else {
    describeServers(title, contract);
  }
}
