import { describeServers } from '../../servers/describe-servers.ts';
import { admissionPoliciesContract } from './admission-policies.contract.ts';
import { policyParamsContract } from './policy-params.contract.ts';
import { wrongPoliciesContract } from './wrong-policies.contract.ts';

describeServers('admission policies', admissionPoliciesContract);
describeServers('parameters of policies', policyParamsContract);
describeServers('policies as objects', wrongPoliciesContract);
