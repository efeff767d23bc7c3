"""What a caller with the Anthropic SDK sees."""

import time
from concurrent.futures import ThreadPoolExecutor

import anthropic

import harness

MESSAGES = [{"role": "user", "content": "Review this change."}]
TOOL = {
    "name": "read_file",
    "input_schema": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}},
        "required": ["path", "lines"],
    },
}
DEMANDED = {"type": "tool", "name": "read_file"}


def client(url, key="any", retries=0):
    return anthropic.Anthropic(base_url=url, api_key=key, max_retries=retries, timeout=30)


def plain(url, model, key="any"):
    answer = client(url, key).messages.create(model=model, max_tokens=500, messages=MESSAGES)
    return {
        "text": answer.content[0].text,
        "finish": answer.stop_reason,
        "usage": [answer.usage.input_tokens, answer.usage.output_tokens],
    }


def stream(url, model):
    start = time.monotonic()
    at, text = [], ""
    with client(url).messages.stream(model=model, max_tokens=500, messages=MESSAGES) as chunks:
        for piece in chunks.text_stream:
            at.append(time.monotonic() - start)
            text += piece
        usage = chunks.get_final_message().usage
    return {"at": at, "text": text, "usage": [usage.input_tokens, usage.output_tokens]}


def tool(url, model):
    answer = client(url).messages.create(
        model=model, max_tokens=500, messages=MESSAGES, tools=[TOOL], tool_choice=DEMANDED
    )
    return [block.model_dump() for block in answer.content]


def tool_stream(url, model):
    chunks = client(url).messages.create(
        model=model, max_tokens=500, messages=MESSAGES, tools=[TOOL], tool_choice=DEMANDED, stream=True
    )
    return [chunk.model_dump() for chunk in chunks]


def count(url, model):
    return client(url).messages.count_tokens(model=model, messages=MESSAGES, tools=[TOOL]).input_tokens


def fail_to_count(url, model):
    return harness.failure(lambda: count(url, model))


def fail(url, model, key="any", content="hello", retries=0):
    def call():
        messages = [{"role": "user", "content": content}]
        client(url, key, retries).messages.create(model=model, max_tokens=500, messages=messages)

    return harness.failure(call)


def fail_together(url, model, keys):
    with ThreadPoolExecutor(len(keys)) as pool:
        return list(pool.map(lambda key: fail(url, model, key), keys))


def close(url, model, provider):
    chunks = client(url).messages.create(model=model, max_tokens=500, messages=MESSAGES, stream=True)
    for _ in zip(range(5), chunks):
        pass
    before = harness.in_flight(provider)
    chunks.close()
    return {"before": before, "seconds": harness.seconds_until_idle(provider)}


def models(url, key="any"):
    return sorted(model.id for model in client(url, key).models.list())


if __name__ == "__main__":
    harness.main(globals())
