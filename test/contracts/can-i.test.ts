import { describe } from 'vitest';
import { findKubectl } from '../../tools/assets/find.mjs';
import { describeServers } from '../servers/describe-servers.ts';
import { canIContract } from './can-i.contract.ts';

const TITLE = 'kubectl auth can-i';

if (findKubectl() === undefined) {
  const needs = "[needs kubectl: Debian's kubernetes-client, or npm run assets]";
  describe.skip(`${TITLE} ${needs}`, () => canIContract(() => ({}) as never));
} else {
  describeServers(TITLE, canIContract);
}
