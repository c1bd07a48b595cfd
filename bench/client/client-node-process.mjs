// The official client in a process of its own. Usage: client-node-process.mjs KUBECONFIG NAMESPACE CONCURRENCY
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { answerOrders } from './create-many.mjs';

const [kubeconfig, namespace, concurrency] = process.argv.slice(2);
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const api = config.makeApiClient(CoreV1Api);
await answerOrders(namespace, Number(concurrency), (body) =>
  api.createNamespacedConfigMap({ namespace, body }),
);
