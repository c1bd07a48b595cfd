import { auditContract } from '../../packages/operators/src/drift/audit.contract.ts';
import { describeAudited } from '../servers/describe-servers.ts';

describeAudited('operator drift', auditContract);
