"""What the methods of a quantity do (`duetpy.typecheck.quantity.form.Operations`), gathered from the files that say how."""

from duetpy.typecheck.quantity.arithmetic import power, product, total
from duetpy.typecheck.quantity.evaluation import evaluate, evaluate_float
from duetpy.typecheck.quantity.limits import of_quantity as limits
from duetpy.typecheck.quantity.order import proved
from duetpy.typecheck.quantity.printing import show
from duetpy.typecheck.quantity.substitution import substitute

__all__ = ["evaluate", "evaluate_float", "limits", "power", "product", "proved", "show", "substitute", "total"]
