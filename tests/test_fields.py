"""What is known of attributes, and what functions rest on that asked for it."""

from ir.types import TOP, Scalar
from zyg.compiler.inference.fields import Fields


class Body:
    pass


FLOAT, INT = Scalar(float), Scalar(int)


def asking(*questions):
    fields = Fields()
    fields.store(Body, "x", FLOAT)
    fields.asked = asked = {}
    for question in questions:
        fields.ask(*question)
    fields.asked = None
    return fields, asked


def test_answers_hold_while_nothing_is_stored():
    fields, asked = asking(("type_of", Body, "x"), ("may_vary", Body, "x"), ("may_be_held",))
    assert asked["type_of", Body, "x"] == FLOAT
    assert fields.still_answers(asked)
    fields.store(Body, "x", FLOAT)
    assert fields.still_answers(asked)


def test_answers_end_where_they_would_be_others():
    for question, change in [
        (("type_of", Body, "x"), lambda fields: fields.store(Body, "x", INT)),
        (("is_never_stored", Body, "y"), lambda fields: fields.store(Body, "y", INT)),
        (("may_vary", Body, "x"), lambda fields: fields.vary(Body, "x")),
        (("may_be_held",), lambda fields: fields.change_held(Body, "x", FLOAT, True)),
        (("type_of", Body, "x"), lambda fields: fields.store(None, "x", TOP)),
    ]:
        fields, asked = asking(question)
        change(fields)
        assert not fields.still_answers(asked)


def test_a_question_with_two_answers_has_none_that_holds():
    fields, _ = asking()
    fields.asked = asked = {}
    fields.ask("type_of", Body, "x")
    fields.store(Body, "x", INT)
    fields.ask("type_of", Body, "x")
    assert not fields.still_answers(asked)
