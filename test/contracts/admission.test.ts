import { describeServers } from '../servers/describe-servers.ts';
import { admissionContract } from './admission.contract.ts';
import { admissionFailureContract } from './admission-failure.contract.ts';
import { admissionPlacesContract } from './admission-places.contract.ts';
import { admissionReviewContract } from './admission-review.contract.ts';
import { admissionSelectionContract } from './admission-selection.contract.ts';
import { webhookConfigurationContract } from './webhook-configurations.contract.ts';

describeServers('admission', admissionReviewContract);
describeServers('admission', admissionContract);
describeServers('what admission is asked about', admissionSelectionContract);
describeServers('where webhooks are', admissionPlacesContract);
describeServers('admission that fails', admissionFailureContract);
describeServers('configurations of webhooks', webhookConfigurationContract);
