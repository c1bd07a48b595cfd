import { appsv1 } from '@kubewright/kube';
import { CLASS_RUNTIMES } from '@kubewright/operators';
import type { Installation } from '../installation.ts';
import { keepTrying } from './keep-trying.ts';
import type { Work } from './work.ts';

const NAMESPACE = 'kill-classes';

/** A class of two functions each round. */
export function classesWork({ client, namespace }: Installation): Work {
  const classes: string[] = [];
  const image = (name: string) => ({ container_image: `registry.example/${name}:1` });

  async function faultOf(name: string, deployments: ReadonlySet<string>): Promise<readonly string[]> {
    const { status } = await client.get(CLASS_RUNTIMES, { namespace: NAMESPACE, name });
    const missing = ['fn-0', 'fn-1'].filter((one) => !deployments.has(`${name}-${one}`));
    return [
      ...(status?.phase === 'available' ? [] : [`classes: ${name} is ${status?.phase}`]),
      ...missing.map((one) => `classes: Deployment ${name}-${one} is missing`),
    ];
  }

  return {
    name: 'classes',
    prepare: async () => void (await namespace(NAMESPACE)),
    async begin(round) {
      const name = `class-${round}`;
      await keepTrying(() =>
        client.create(CLASS_RUNTIMES, {
          apiVersion: 'oaas.io/v1alpha1',
          kind: 'ClassRuntime',
          metadata: { name, namespace: NAMESPACE },
          spec: {
            package_class_key: `kill.${name}`,
            functions: [
              { function_key: `${name}.add`, provision_config: image('add') },
              { function_key: `${name}.pay`, provision_config: image('pay') },
            ],
          },
        }),
      );
      classes.push(name);
    },
    async faults() {
      const { items } = await client.list(appsv1.deployments, { namespace: NAMESPACE });
      const deployments = new Set(items.map(({ metadata }) => metadata.name));
      return (await Promise.all(classes.map((name) => faultOf(name, deployments)))).flat();
    },
  };
}
