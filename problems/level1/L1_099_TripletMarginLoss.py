import torch
from torch import nn

BATCH_SIZE = 32768
DIM = 8192
MARGIN = 1.0


class Model(nn.Module):
    """Triplet margin loss of anchors against positive and negative examples."""

    def __init__(self, margin=1.0):
        super().__init__()
        self.loss_fn = nn.TripletMarginLoss(margin=margin)

    def forward(self, anchor, positive, negative):
        return self.loss_fn(anchor, positive, negative)


def get_inputs():
    scale = torch.rand(())
    anchor = torch.rand(BATCH_SIZE, DIM) * scale
    positive = torch.rand(BATCH_SIZE, DIM)
    negative = torch.rand(BATCH_SIZE, DIM)
    return [anchor, positive, negative]


def get_init_inputs():
    return [MARGIN]
