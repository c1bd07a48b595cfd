import { userHash } from '../../annotations/user-hash.ts';
import type { Finding } from '../../../kit/report-findings.ts';
import type { Tracked } from './read-tracked.ts';

/** The user of all controllers of a kube-controller-manager that gives them no accounts of their own. */
const SHARED = 'system:kube-controller-manager';
/** Those that write statuses of what people track most. */
const OWN = [
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'daemon-set-controller',
  'job-controller',
  'cronjob-controller',
].map((name) => `system:serviceaccount:kube-system:${name}`);

/** Controllers that share one user cannot be told apart: what one of them changes looks like drift of another. */
export function checkCredentials({ controllers }: Tracked): Omit<Finding, 'check'> {
  if (controllers.has(userHash(SHARED)))
    return {
      status: 'failed',
      what: `the built-in controllers share the user ${SHARED}: drift cannot tell them apart`,
      fix: 'start kube-controller-manager with --use-service-account-credentials',
    };
  if (OWN.some((user) => controllers.has(userHash(user))))
    return { status: 'ok', what: 'the built-in controllers have accounts of their own' };
  return {
    status: 'unknown',
    what: 'no built-in controller has written the status of a tracked object yet',
  };
}
