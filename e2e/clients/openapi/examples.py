"""Compares every example of an OpenAPI document with its schema: examples.py FILE"""

import json
import sys

import jsonschema
from openapi_schema_validator import OAS31Validator


def examples(document):
    """Where each example is, its schema, and itself."""
    for path, operations in document["paths"].items():
        for verb, operation in operations.items():
            where = f"{verb} {path}"
            for parameter in operation["parameters"]:
                if "example" in parameter:
                    yield f"{where} {parameter['name']}", parameter["schema"], parameter["example"]
            answers = [operation.get("requestBody", {}), operation["responses"]["200"]]
            for content in [content for answer in answers for content in answer.get("content", {}).values()]:
                if "example" in content:
                    yield where, content["schema"], content["example"]


def closed(document):
    """The document with schemas that allow no other members, so that an example cannot hold what nothing describes."""
    for schema in document["components"]["schemas"].values():
        if "properties" in schema and not schema.get("additionalProperties"):
            schema["additionalProperties"] = False
    return document


def main():
    with open(sys.argv[1]) as file:
        document = closed(json.load(file))
    count = 0
    for where, schema, example in examples(document):
        try:
            whole = {**schema, "components": document["components"]}
            OAS31Validator(whole, format_checker=OAS31Validator.FORMAT_CHECKER).validate(example)
        except jsonschema.ValidationError as error:
            sys.exit(f"{where}: {error.json_path}: {error.message}")
        count += 1
    if count < 40:
        sys.exit(f"only {count} examples")
    print(f"{count} examples conform")


main()
