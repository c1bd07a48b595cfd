import { describe } from 'vitest';
import { findHelm } from '../../../tools/assets/find-helm.mjs';
import { describeWithAccounts } from '../../servers/describe-servers.ts';
import { chartContract } from './chart.contract.ts';

const TITLE = 'the chart';

const programs = findHelm();
if (programs === undefined)
  describe.skip(`${TITLE} [needs Helm 3 and 4: npm run assets:helm]`, () =>
    chartContract({ helm3: '', helm4: '' }, () => ({}) as never));
else describeWithAccounts(TITLE, (server) => chartContract(programs, server));
