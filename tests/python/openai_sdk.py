"""What a caller with the OpenAI SDK sees."""

import time
from concurrent.futures import ThreadPoolExecutor

import openai

import harness

MESSAGES = [{"role": "user", "content": "Review this change."}]
TOOL = {
    "type": "function",
    "function": {
        "name": "read_file",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}},
            "required": ["path", "lines"],
        },
    },
}
DEMANDED = {"type": "function", "function": {"name": "read_file"}}


def client(url, key="any", retries=0):
    return openai.OpenAI(base_url=url, api_key=key, max_retries=retries, timeout=30)


def plain(url, model, key="any"):
    answer = client(url, key).chat.completions.create(model=model, messages=MESSAGES)
    return {
        "text": answer.choices[0].message.content,
        "finish": answer.choices[0].finish_reason,
        "usage": [answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens],
    }


def stream(url, model):
    start = time.monotonic()
    chunks = client(url).chat.completions.create(
        model=model, messages=MESSAGES, stream=True, stream_options={"include_usage": True}
    )
    at, text, usage = [], "", None
    for chunk in chunks:
        if chunk.choices and chunk.choices[0].delta.content:
            at.append(time.monotonic() - start)
            text += chunk.choices[0].delta.content
        usage = chunk.usage or usage
    return {
        "at": at,
        "text": text,
        "usage": [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens],
    }


def tool(url, model):
    answer = client(url).chat.completions.create(
        model=model, messages=MESSAGES, tools=[TOOL], tool_choice=DEMANDED
    )
    return answer.choices[0].message.model_dump()["tool_calls"]


def tool_stream(url, model):
    chunks = client(url).chat.completions.create(
        model=model, messages=MESSAGES, tools=[TOOL], tool_choice=DEMANDED, stream=True
    )
    return [chunk.choices[0].delta.model_dump() for chunk in chunks if chunk.choices]


def fail(url, model, key="any", content="hello", retries=0):
    def call():
        messages = [{"role": "user", "content": content}]
        client(url, key, retries).chat.completions.create(model=model, messages=messages)

    return harness.failure(call)


def fail_together(url, model, keys):
    with ThreadPoolExecutor(len(keys)) as pool:
        return list(pool.map(lambda key: fail(url, model, key), keys))


def close(url, model, provider):
    chunks = client(url).chat.completions.create(model=model, messages=MESSAGES, stream=True)
    for _ in zip(range(3), chunks):
        pass
    before = harness.in_flight(provider)
    chunks.close()
    return {"before": before, "seconds": harness.seconds_until_idle(provider)}


def models(url, key="any"):
    return sorted(model.id for model in client(url, key).models.list())


if __name__ == "__main__":
    harness.main(globals())
