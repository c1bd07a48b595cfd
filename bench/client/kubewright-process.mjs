// Our client, built, in a process of its own. Usage: kubewright-process.mjs KUBECONFIG NAMESPACE CONCURRENCY
import { createClient, kubeconfigTransport, loadKubeconfig } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { answerOrders } from './create-many.mjs';

const [kubeconfig, namespace, concurrency] = process.argv.slice(2);
const transport = kubeconfigTransport(await loadKubeconfig(kubeconfig));
const client = createClient(transport);
await answerOrders(namespace, Number(concurrency), (object) => client.create(corev1.configmaps, object));
await transport.close();
