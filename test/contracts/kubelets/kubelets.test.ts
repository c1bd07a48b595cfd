import { describe } from 'vitest';
import { describeServers } from '../../servers/describe-servers.ts';
import type { TestServer } from '../../servers/test-server.ts';
import { OUTER_ADDRESS } from '../../support/fake-kubelet.ts';
import { podLogsContract } from './pod-logs.contract.ts';
import { proxiesContract } from './proxies.contract.ts';

describeServers('logs of pods', podLogsContract);

if (OUTER_ADDRESS === undefined)
  describe.skip('proxies [needs a network address beside the loopback]', () =>
    proxiesContract(() => ({}) as TestServer));
else describeServers('proxies', proxiesContract);
