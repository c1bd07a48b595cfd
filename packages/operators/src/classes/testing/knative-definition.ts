import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CustomResource, KubeObject } from '@kubewright/kube';

const FILE = fileURLToPath(new URL('../../../../../goldens/knative-services.json', import.meta.url));

/**
 * The definition of Services of Knative Serving 1.23 with its whole schema, which prunes what it does not name. Its texts are
 * left out.
 */
export const KNATIVE_DEFINITION = JSON.parse(
  readFileSync(FILE, 'utf8'),
) as CustomResource<KubeObject>['definition'];
