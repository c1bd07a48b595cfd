import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Transport } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { useFolder } from '../../../../test/support/use-folder.ts';
import { useOperator } from '../kit/testing/use-operator.ts';
import { classesParts } from './controller.ts';
import { measuredShop } from './testing/measured-shop.ts';
import type { Scrapes } from './testing/scraped-pods.ts';
import { useTroubledSource } from './testing/troubled-source.ts';

const TENANT = 'shop';
/** More than what the class takes for recent. */
const BEHIND_SECONDS = 5;

/** Sources of metrics as people have them, over HTTP, on a cluster with Deployments and nodes. */
export function sourcesContract(
  transport: () => Transport,
  prometheusUrl: () => string,
  scrapes: Scrapes,
): void {
  describe('sources of metrics of ClassRuntimes', () => {
    const folder = useFolder();
    const { url, trouble } = useTroubledSource(prometheusUrl, TENANT);
    const [token, tenant] = [join(folder, 'token'), join(folder, 'tenant')];
    const env = {
      get OPRC_CRM_PROM_URL() {
        return url();
      },
      OPRC_CRM_PROM_TOKEN_FILE: token,
      OPRC_CRM_PROM_TENANT_FILE: tenant,
      OPRC_CRM_ENFORCEMENT_MAX_REPLICA_DELTA: '0',
      // Replicas become less once pods were watched for so long.
      OPRC_CRM_PROM_RANGE: '4s',
    };
    const classes = useOperator(transport, classesParts, { env });
    const { write, until, use, annotate, replicasOf, conditionOf, decisionOf } = measuredShop(classes);

    test('CRT-A42 one that rejects the token is named in the status, with the next step and without the token', async () => {
      trouble.token = 'second';
      writeFileSync(token, 'first');
      writeFileSync(tenant, TENANT);
      await write('enforce');
      const { status = {} } = await until((now) => conditionOf(now)?.reason === 'PrometheusQueryFailed');
      const { message = '' } = conditionOf(status) ?? {};
      expect(message).toContain('OPRC_CRM_PROM_TOKEN_FILE names a file with a bearer token');
      expect(message).not.toContain('first');
    });

    test('CRT-A20 CRT-A40 a token that comes into the file is sent with the next query, and what two jobs collect counts once', async () => {
      expect(scrapes.jobs).toBe(2);
      writeFileSync(token, 'second\n');
      await until((now) => now.phase === 'available' && conditionOf(now)?.reason === 'PrometheusQueryOK');
      await use('1400m');
      await until((now) => decisionOf(now) === 'NoChange' && now.nfr_recommendations?.['replicas'] === 3);
      expect(await replicasOf('shop-fn-0')).toBe(3);
    });

    test('CRT-A21 one that has no new samples takes no replicas away, and the status says since when', async () => {
      trouble.behind = BEHIND_SECONDS;
      const { status = {} } = await until(
        (now) => conditionOf(now)?.reason === 'SamplesTooOld' && decisionOf(now) === 'SkipStale',
      );
      expect(conditionOf(status)?.message).toMatch(/the newest sample is of \d{4}-/);
      expect(status).toMatchObject({ phase: 'available', nfr_recommendations: { replicas: 3 } });
      expect(await replicasOf('shop-fn-0')).toBe(3);
      trouble.behind = 0;
      await until((now) => conditionOf(now)?.reason === 'PrometheusQueryOK');
    });

    let first: string | undefined;

    test('CRT-A22 one that has the requests of some pods only does not make them look dearer than they are', async () => {
      [first] = await annotate('app=shop-fn-0', '450m', '10');
      scrapes.uncounted = first;
      await write('enforce', 1, { min_throughput_rps: 40 });
      // Two pods serve 20 requests with 900 millicores: for 40 it takes 1800, 500 of each replica.
      await until(
        (now) => decisionOf(now) === 'NoChange' && (now.nfr_recommendations?.['replicas'] ?? 0) > 3,
      );
      expect(await replicasOf('shop-fn-0')).toBe(4);
    });

    test('CRT-A22 one that has not read all that it has takes none away until it can', async () => {
      trouble.warning = 'a store is away';
      const { status = {} } = await until((now) => conditionOf(now)?.reason === 'PartialData');
      expect(conditionOf(status)?.message).toContain('a store is away');
      scrapes.uncounted = undefined;
      await write('enforce');
      await annotate('app=shop-fn-0', '25m');
      const after = await until(({ phase }) => phase === 'available');
      expect(after.status).toMatchObject({ nfr_recommendations: { replicas: 4 } });
      expect(await replicasOf('shop-fn-0')).toBe(4);
    });

    test('CRT-A22 nor does one that does not collect a pod; the status says of how many it does', async () => {
      scrapes.missing = first;
      trouble.warning = undefined;
      const { status = {} } = await until(
        (now) => conditionOf(now)?.message.includes('of 3 of 4 pods') === true,
      );
      expect(conditionOf(status)?.reason).toBe('PartialData');
      expect(status).toMatchObject({ phase: 'available', nfr_recommendations: { replicas: 4 } });
      expect(await replicasOf('shop-fn-0')).toBe(4);
      scrapes.missing = undefined;
      await until((now) => decisionOf(now) === 'NoChange' && now.nfr_recommendations?.['replicas'] === 1);
      expect(await replicasOf('shop-fn-0')).toBe(1);
    });
  });
}
