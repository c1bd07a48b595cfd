import { corev1, isJsonObject, type JsonObject, type Transport } from '@kubewright/kube';
import { beforeAll, describe, expect, test } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { driftParts } from './controller.ts';
import { CTL, gatedDeployment } from './testing/gated-deployment.ts';
import { annotationsOf as countedAnnotationsOf } from './testing/annotations-of.ts';

type AuditedServer = { transport(): Transport; auditEvents(): Promise<readonly JsonObject[]> };

const ALICE = { username: 'alice', groups: ['system:masters'] };

/** What the audit log of the API server says about decisions. */
export function auditContract(server: () => AuditedServer): void {
  describe('drift in the audit log', () => {
    const operator = useOperator(() => server().transport(), driftParts);
    const { web, start, paint, denied } = gatedDeployment(operator);
    const webhook = `${operator.namespace}.drift.kubewright.io`;

    /** The annotations of the user's patches of the ConfigMap, without those of other parts of the server. */
    const annotationsOf = async (username: string) =>
      (await server().auditEvents())
        .filter(({ verb, objectRef, impersonatedUser }) => {
          const isTheirs = isJsonObject(impersonatedUser) && impersonatedUser['username'] === username;
          return (
            verb === 'patch' && isTheirs && isJsonObject(objectRef) && objectRef['resource'] === 'configmaps'
          );
        })
        .map(({ annotations }) =>
          Object.fromEntries(
            Object.entries(isJsonObject(annotations) ? annotations : {}).filter(([key]) =>
              key.startsWith(`${webhook}/`),
            ),
          ),
        );

    beforeAll(start);

    test('DRF-75 drift that is denied has its decision, mode and resolution, below the name of the webhook', async () => {
      await denied(paint('dark'));
      await expect
        .poll(() => annotationsOf(CTL.username), { timeout: 20_000 })
        .toContainEqual({
          [`${webhook}/decision`]: 'denied',
          [`${webhook}/drift`]: 'true',
          [`${webhook}/drift-resolution`]: 'unresolved',
          [`${webhook}/lifecycle-phase`]: 'Initialized',
          [`${webhook}/mode`]: 'enforce',
        });
    });

    test('DRF-75 a change that is allowed has the trace that is stored', async () => {
      const body = { data: { theme: 'hers' } };
      const live = await operator.as(ALICE).patch(corev1.configmaps, web, { type: 'merge', body });
      const trace = countedAnnotationsOf(live)['kausality.io/trace'] ?? '';
      expect(trace).toContain('"user":"alice"');
      await expect
        .poll(() => annotationsOf(ALICE.username), { timeout: 20_000 })
        .toContainEqual({
          [`${webhook}/decision`]: 'allowed',
          [`${webhook}/drift`]: 'false',
          [`${webhook}/lifecycle-phase`]: 'Initialized',
          [`${webhook}/mode`]: 'enforce',
          [`${webhook}/trace`]: trace,
        });
    });
  });
}
