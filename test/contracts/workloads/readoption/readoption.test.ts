import { describeClusters } from '../../../servers/describe-clusters.ts';
import { atAdmission } from './at-admission.ts';
import { claims } from './claims.ts';
import { identity } from './identity.ts';
import { membership } from './membership.ts';
import { replicaSets } from './replica-sets.ts';
import { retries } from './retries.ts';
import { revisions } from './revisions.ts';

// What an operator that replaces a pod has to know: each fact on our controllers and on Kubernetes' own.
describeClusters('re-adoption by a StatefulSet', ['statefulset-controller'], (transport) => {
  membership(transport);
  identity(transport);
  revisions(transport);
  claims(transport);
  atAdmission(transport);
  retries(transport);
});

describeClusters('adoption by a ReplicaSet', ['deployment-controller', 'replicaset-controller'], replicaSets);
