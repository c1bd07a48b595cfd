import { describe } from 'vitest';
import { findHelm } from '../../../tools/assets/find-helm.mjs';
import { describeServers } from '../../servers/describe-servers.ts';
import { helmContract } from './helm.contract.ts';

const TITLE = 'ownership beside Helm';

const programs = findHelm();
if (programs === undefined)
  describe.skip(`${TITLE} [needs Helm 3 and 4: npm run assets:helm]`, () =>
    helmContract({ helm3: '', helm4: '' }, () => ({}) as never));
else describeServers(TITLE, (server) => helmContract(programs, server));
