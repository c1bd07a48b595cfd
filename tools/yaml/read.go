package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// A value that was read is a list of one; an error is the name of its class.
type outcome any

func valueOrClass(value []byte, err error) outcome {
	if err != nil {
		return classOf(err)
	}
	decoded, err := decode(value)
	if err != nil {
		return classOf(err)
	}
	return []json.RawMessage{decoded}
}

// decode reads JSON as a server and kubectl do, which keep int64 as it is, and writes it again.
func decode(data []byte) ([]byte, error) {
	var value any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &value); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(out.Bytes()), err
}

func classOf(err error) string {
	for _, class := range [][2]string{
		{"cannot decode", "tag"},
		{"invalid base64", "binary"},
		{"unsupported map key", "key"},
		{"invalid map key", "key"},
		{"unsupported value", "number"},
		{"cannot unmarshal number", "number"},
		{"map merge", "merge"},
		{"excessive aliasing", "alias"},
		{"contains itself", "alias"},
		{"unknown anchor", "alias"},
	} {
		if strings.Contains(err.Error(), class[0]) {
			return class[1]
		}
	}
	return "syntax"
}

// itemOf reads a scalar as the only item of a list.
func itemOf(scalar string) outcome {
	data, err := yaml.YAMLToJSON([]byte("- " + scalar + "\n"))
	if err != nil {
		return classOf(err)
	}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil || len(list) != 1 {
		return "other"
	}
	return valueOrClass(list[0], nil)
}

// keyOf reads a scalar as a key whose value is 1.
func keyOf(scalar string) outcome {
	data, err := yaml.YAMLToJSON([]byte(scalar + ": 1\n"))
	if err != nil {
		return classOf(err)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) != nil || len(object) != 1 {
		return "other"
	}
	for key, value := range object {
		if string(value) == "1" {
			return []string{key}
		}
	}
	return "other"
}

// readDocument has the text, what a server reads (the first document), what strict decoding has against it, and the
// documents that kubectl reads, without those that are null.
func readDocument(text string) []any {
	server := valueOrClass(yaml.YAMLToJSON([]byte(text)))
	strict := []string{}
	if _, isValue := server.([]json.RawMessage); isValue {
		if _, err := yaml.YAMLToJSONStrict([]byte(text)); err != nil {
			strict = strings.Split(strings.TrimPrefix(err.Error(), "yaml: unmarshal errors:\n  "), "\n  ")
		}
	}
	return []any{text, server, strict, kubectl(text)}
}

type extension struct{ raw []byte }

func (e *extension) UnmarshalJSON(data []byte) error {
	e.raw = bytes.Clone(data)
	return nil
}

func kubectl(text string) outcome {
	values := []json.RawMessage{}
	decoder := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		var next extension
		err := decoder.Decode(&next)
		if err == io.EOF {
			return values
		}
		if err != nil {
			return classOf(err)
		}
		if raw := bytes.TrimSpace(next.raw); len(raw) > 0 && string(raw) != "null" {
			decoded, err := decode(raw)
			if err != nil {
				return classOf(err)
			}
			values = append(values, decoded)
		}
	}
}
