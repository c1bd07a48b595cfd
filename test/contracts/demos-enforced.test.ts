import { OPERATORS } from '@kubewright/operators';
import { demoImages } from '../../packages/kubewright/src/run/demo-images.ts';
import { workerImages } from '../../packages/kubewright/src/run/worker-images.ts';
import { describeClusters } from '../servers/describe-clusters.ts';
import { CAPTURE_CONTROLLERS } from './capture-controllers.ts';
import { demosEnforcedContract } from './demos-enforced.contract.ts';

const controllers = [
  ...CAPTURE_CONTROLLERS,
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'serviceaccount-controller',
] as const;
const runtimes = [workerImages(demoImages(OPERATORS), process.cwd())];

describeClusters(
  'the operators together',
  { controllers, credentials: true, nodes: { nodes: 2, runtimes }, storage: true, kubectl: true },
  demosEnforcedContract,
);
