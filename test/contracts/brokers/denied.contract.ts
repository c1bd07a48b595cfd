import { systemClock } from '@kubewright/kube';
import type { Brokers } from '@kubewright/operators';
import { type Io, silentLogger } from '@kubewright/runtime';
import { expect, onTestFinished, test } from 'vitest';
import type { Tools } from '../../../packages/operators/src/migration/act.ts';
import { BrokerOutages } from '../../../packages/operators/src/migration/broker-outages.ts';
import { BrokerAddresses } from '../../../packages/operators/src/migration/brokers/broker-addresses.ts';
import { BrokerPeers } from '../../../packages/operators/src/migration/brokers/broker-peers.ts';
import { observeBroker } from '../../../packages/operators/src/migration/observe-broker.ts';
import { ReportRequests } from '../../../packages/operators/src/migration/report-requests.ts';
import { readSettings } from '../../../packages/operators/src/migration/settings.ts';
import { migrationOf, podOf } from '../../../packages/operators/src/migration/testing/migration-bench.ts';

export type DeniedUnderTest = {
  readonly brokers: Brokers;
  /** With its credentials. */
  readonly url: string;
  /** The operator has no rights at the queues of a process; or it has all of them again. */
  readonly forbid: (isForbidden: boolean) => Promise<void>;
};

/** How a broker says that somebody has no right. */
const DENIED = /ACCESS_REFUSED|permissions violation/i;

/** What the operator sees of a broker as a migration begins, by a clock that a test sets forward. */
function looksAt({ brokers, url }: DeniedUnderTest) {
  const ahead = { ms: 0 };
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + ahead.ms };
  const peers = new BrokerPeers(brokers, { clock: systemClock, log: silentLogger, wake: () => undefined });
  onTestFinished(() => peers.close());
  const tools: Tools = {
    peers,
    addresses: new BrokerAddresses(['127.0.0.1']),
    settings: readSettings({}),
    outages: new BrokerOutages(),
    requests: new ReportRequests(),
  };
  const { messageQueueConfig } = migrationOf().spec;
  const migration = migrationOf({ messageQueueConfig: { ...messageQueueConfig, brokerUrl: url } });
  const look = () => observeBroker(migration, podOf(), { clock } as Io, tools);
  return { look, ahead };
}

/** Registers what an operator does whose rights are away as a migration begins. */
export function deniedContract(denied: () => DeniedUnderTest): void {
  test('MIG-78: rights that are away as a migration begins are waited for, but for no longer than half a minute', async () => {
    const { forbid } = denied();
    const [patient, long] = [looksAt(denied()), looksAt(denied())];
    const sees = (look: typeof patient.look, type: string, message?: RegExp): Promise<void> =>
      expect
        .poll(look)
        .toMatchObject({ type, ...(message && { message: expect.stringMatching(message) as string }) });
    await sees(patient.look, 'reached');
    await sees(long.look, 'reached');
    await forbid(true);
    for (const { look, ahead } of [patient, long]) {
      await sees(look, 'unavailable', DENIED);
      ahead.ms += 25_000;
      await sees(look, 'unavailable', DENIED);
    }
    long.ahead.ms += 5000;
    await sees(long.look, 'rejected', DENIED);
    await forbid(false);
    await sees(patient.look, 'reached');
  });
}
