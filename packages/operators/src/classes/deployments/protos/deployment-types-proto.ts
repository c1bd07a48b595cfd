/** `deployment_types.proto` of the original, and what a class needs to be enforced. */
export const deploymentTypesProto = `
syntax = "proto3";
package oaas.deployment;

import "common.proto";

message FunctionDeploymentSpec {
  string function_key = 1;

  reserved 2, 4;

  optional string description = 5;

  optional string available_location = 6;

  optional oaas.common.NfrRequirements nfr_requirements = 7;

  optional oaas.common.ProvisionConfig provision_config = 8;

  map<string, string> config = 9;
}

message ResourceReference {
  string kind = 1;
  string name = 2;

  optional string namespace = 3;

  optional string uid = 4;
}

message InvocationRoutes {
  map<string, FunctionRoute> fn_routes = 1;
  repeated string disabled_fn = 2;
}

message FunctionRoute {
  string url = 1;
  optional bool stateless = 2;
  optional bool standby = 3;
  repeated uint64 active_group = 4;

  optional string function_key = 5;
}

message OdgmConfig {
  repeated string collections = 1;
  optional uint32 partition_count = 2;
  optional uint32 replica_count = 3;
  optional string shard_type = 4;
  InvocationRoutes invocations = 5;
  map<string, string> options = 6;

  optional string log = 7;

  map<string, OdgmNodeIds> env_node_ids = 8;

  optional uint64 odgm_node_id = 9;

  map<string, CollectionShardAssignments> collection_assignments = 10;
}

message OdgmNodeIds {
  repeated uint64 ids = 1;
}

message ShardAssignmentSpec {
  optional uint64 primary = 1;
  repeated uint64 replica = 2;
  repeated uint64 shard_ids = 3;
}

message CollectionShardAssignments {
  repeated ShardAssignmentSpec assignments = 1;
}

message ClassFunctionBinding {
  string name = 1;

  string function_key = 2;

  optional string access_modifier = 3;

  optional bool stateless = 4;

  repeated string parameters = 5;
}

message DeploymentUnit {
  string id = 1;
  string package_name = 2;
  string class_key = 3;
  reserved 4;
  repeated FunctionDeploymentSpec functions = 5;
  string target_env = 6;

  repeated ClassFunctionBinding function_bindings = 7;
  oaas.common.Timestamp created_at = 8;
  OdgmConfig odgm_config = 9;

  optional string selected_template = 11;

  optional oaas.common.TelemetrySpec telemetry = 12;
  // Additions: absent, a class keeps the defaults of its resource.
  optional ClassRequirements class_requirements = 101;
  optional ClassEnforcement class_enforcement = 102;
}

message ClassRequirements {
  optional uint32 min_throughput_rps = 1;
  optional uint32 max_latency_ms = 2;
  optional double availability_pct = 3;
  optional string consistency = 4;
}

message ClassEnforcement {
  optional string mode = 1;
  repeated string dimensions = 2;
}
`;
